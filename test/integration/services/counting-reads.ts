import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';

interface Plan {
    'Node Type': string;
    'Actual Rows': number;
    'Actual Loops': number;
    'Rows Removed by Filter'?: number;
    Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

const planRow = z.strictObject({ 'QUERY PLAN': z.tuple([z.object({ Plan: z.custom<Plan>() })]) });

/** A database that counts the rows that its statements read from tables and indexes. */
export function countingReads(db: Database): { database: Database; read(): number } {
    let read = 0;
    async function explained(query: Parameters<Database['rows']>[0]): Promise<void> {
        const [row] = await db.rows(sql.type(planRow)`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`);
        for (const node of row ? nodesOf(row['QUERY PLAN'][0].Plan) : []) {
            if (!/^(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(node['Node Type'])) continue;
            read += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
        }
    }
    const database: Database = {
        ...db,
        async rows(query) {
            await explained(query);
            return db.rows(query);
        },
        async prepared(_name, query) {
            await explained(query);
            return db.rows(query);
        },
    };
    return { database, read: () => read };
}
