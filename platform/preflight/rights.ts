import { LOOK_TIMEOUT_MS, withSession } from '../postgres/session.ts';
import { StartError } from '../start-error.ts';

type TableRight = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** What a process does with a table, or with all tables of a schema. */
export interface Use {
    schema: string;
    /** All tables of the schema if undefined. */
    table?: string;
    rights: readonly TableRight[];
}

/** Every missing right with its object, in the order in which somebody would grant them. Tables need not exist yet. */
const MISSING = `
    SELECT current_user AS role, missing.* FROM (
        SELECT 'USAGE' AS lacks, 'schema ' || nspname AS object
        FROM pg_namespace
        WHERE nspname = ANY($1::text[]) AND NOT has_schema_privilege(oid, 'USAGE')
        UNION ALL
        SELECT use.lacks, 'table ' || nspname || '.' || relname
        FROM unnest($1::text[], $2::text[], $3::text[]) AS use (of_schema, of_table, lacks)
        JOIN pg_namespace ON nspname = of_schema
        JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = coalesce(of_table, relname)
        WHERE relkind IN ('r', 'p') AND NOT relispartition AND NOT has_table_privilege(pg_class.oid, use.lacks)
    ) AS missing
    ORDER BY object, lacks`;

/**
 * Throws StartError if the role of this URL lacks a right for one of the uses. Without this check, the process would be
 * ready, and fail in some of its calls.
 */
export async function preflightRights(url: string, uses: readonly Use[]): Promise<void> {
    const wanted = uses.flatMap(({ schema, table = null, rights }) =>
        rights.map((right) => ({ schema, table, right })),
    );
    const { rows } = await withSession(url, { query_timeout: LOOK_TIMEOUT_MS }, (client) =>
        client.query<{ role: string; lacks: string; object: string }>(MISSING, [
            wanted.map(({ schema }) => schema),
            wanted.map(({ table }) => table),
            wanted.map(({ right }) => right),
        ]),
    );
    const [first] = rows;
    if (!first) return;
    const others = rows.length > 1 ? ` ${rows.length - 1} further rights are missing.` : '';
    throw new StartError(
        'database',
        `The role ${first.role} lacks the right ${first.lacks} on the ${first.object}.${others}`,
    );
}
