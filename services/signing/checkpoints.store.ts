import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import type { SigningStore } from './rows.ts';

const checkpointRow = z.strictObject({ size: z.number(), edge: z.instanceof(Buffer), note: z.string() });

/** The last checkpoint of the audit. */
export function checkpoints(db: Database): Pick<SigningStore, 'checkpoint' | 'keepCheckpoint'> {
    return {
        async checkpoint(lifetime) {
            const statement = sql.type(checkpointRow)`SELECT size, edge, note FROM signing.checkpoint`;
            const [row] = await db.rows(statement, 'signing_checkpoint', lifetime);
            return row;
        },
        async keepCheckpoint({ size, edge, note }, lifetime) {
            const kept = await db.rows(
                sql.unsafe`
                INSERT INTO signing.checkpoint AS last (size, edge, note) VALUES (${size}, ${sql.binary(edge)}, ${note})
                ON CONFLICT (id) DO UPDATE SET size = excluded.size, edge = excluded.edge, note = excluded.note
                WHERE last.size < excluded.size OR (last.size = excluded.size AND last.edge = excluded.edge)
                RETURNING size`,
                'signing_keep_checkpoint',
                lifetime,
            );
            return kept.length === 1;
        },
    };
}
