import type { Use } from '../platform/preflight/rights.ts';
import type { ServiceRole } from '../proto/services.ts';

/** The tables with the counts of a service. */
const COUNTS = ['deltas', 'totals'];

/** What a process does in a database: it runs the roles `runs`, and reads the counts of the roles `counts`. */
export function tableUses({ runs, counts }: Record<'runs' | 'counts', readonly ServiceRole[]>): Use[] {
    return [
        { schema: 'public', table: 'migrations', rights: ['SELECT'] },
        ...runs.map((schema): Use => ({ schema, rights: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] })),
        ...counts.flatMap((schema) => COUNTS.map((table): Use => ({ schema, table, rights: ['SELECT'] }))),
    ];
}
