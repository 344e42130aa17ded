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

/** A template of the chart that has the calls of each service. */
export function chartCalls(): string {
    const lists = ROWS.filter(({ role }) => role !== 'gateway').map(
        ({ role, calls }) => `${role}: [${calls.join(', ')}]`,
    );
    return [
        `{{/* Which other services each service calls over gRPC. \`npm run reference\` writes it from ${ROLE_TABLE}. */}}`,
        '{{- define "service.calls" -}}',
        ...lists,
        '{{- end }}',
        '',
    ].join('\n');
}
