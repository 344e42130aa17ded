import type { PartSchema } from '../platform/postgres/part-schema.ts';
import type { Use } from '../platform/preflight/rights.ts';
import type { ServiceRole } from '../proto/services.ts';

interface DatabaseUse extends Record<'runs' | 'counts', readonly ServiceRole[]> {
    part?: PartSchema | undefined;
}

/** The tables with the counts of a service. */
const COUNTS = ['deltas', 'totals'];

/** A process runs the roles `runs` in a database, or in the schema of a part there, and reads the counts of `counts`. */
export function tableUses({ runs, counts, part }: DatabaseUse): Use[] {
    const schemaOf = (role: ServiceRole) => (role === part?.service ? part.schema : role);
    return [
        { schema: 'public', table: 'migrations', rights: ['SELECT'] },
        ...runs.map((role): Use => ({ schema: schemaOf(role), rights: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] })),
        ...counts.flatMap((role) =>
            COUNTS.map((table): Use => ({ schema: schemaOf(role), table, rights: ['SELECT'] })),
        ),
    ];
}

/** The table that is asked whether the schema of a role answers: that of its claims, if it has one. */
export function askedTable(role: ServiceRole): readonly [schema: string, table: string] {
    if (role === 'events') return [role, 'tree'];
    return [role, role === 'usage' ? 'totals' : 'idempotency'];
}
