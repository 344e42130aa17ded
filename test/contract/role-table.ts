import { codeIn, rowsOf } from './page-tables.ts';

const [, ...ROWS] = rowsOf('docs/architecture.md', 'Roles').map(([role = '', , calls = '']) => ({
    role: codeIn(role).join(),
    calls: codeIn(calls),
}));

/** Where the table of roles is, for messages. */
export const ROLE_TABLE = 'docs/architecture.md, table "Roles"';

/** The roles of the table. */
export const TABLE_ROLES: readonly string[] = ROWS.map(({ role }) => role);

/** Which service calls which, as the table says: `wallet → did`. */
export const SERVICE_CALLS: readonly string[] = ROWS.flatMap(({ role, calls }) =>
    calls.map((callee) => `${role} → ${callee}`),
);
