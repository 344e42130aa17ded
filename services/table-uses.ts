import type { Use } from '../platform/preflight/rights.ts';
import type { ServiceRole } from '../proto/services.ts';
import { COUNTING } from './counts/pending.store.ts';

/** What `usage` reads of each service that counts. */
const COUNTS = ['deltas', 'totals'];

/** What a process with these roles does in the database. */
export function tableUses(roles: readonly ServiceRole[]): Use[] {
    return [{ schema: 'public', table: 'migrations', rights: ['SELECT'] }, ...roles.flatMap(usesOf)];
}

function usesOf(role: ServiceRole): Use[] {
    const own: Use = { schema: role, rights: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] };
    if (role !== 'usage') return [own];
    const counted = COUNTING.filter((service) => service !== 'usage');
    return [own, ...counted.flatMap((schema) => COUNTS.map((table): Use => ({ schema, table, rights: ['SELECT'] })))];
}
