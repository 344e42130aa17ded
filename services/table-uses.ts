import type { Use } from '../platform/preflight/rights.ts';
import type { ServiceRole } from '../proto/services.ts';

/** The tables that `usage` counts to correct the statistics. */
const COUNTED = [
    ['credentials', 'credentials'],
    ['did', 'dids'],
    ['identity', 'users'],
    ['keys', 'keys'],
    ['presentations', 'presentations'],
    ['wallet', 'wallets'],
    ['wallet', 'credentials'],
] as const;

/** What a process with these roles does in the database. */
export function tableUses(roles: readonly ServiceRole[]): Use[] {
    return [{ schema: 'public', table: 'migrations', rights: ['SELECT'] }, ...roles.flatMap(usesOf)];
}

function usesOf(role: ServiceRole): Use[] {
    const own: Use = { schema: role, rights: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] };
    if (role === 'signing') return [own]; // it creates nothing that is counted
    if (role !== 'usage') return [own, { schema: 'usage', table: 'deltas', rights: ['INSERT'] }];
    return [own, ...COUNTED.map(([schema, table]): Use => ({ schema, table, rights: ['SELECT'] }))];
}
