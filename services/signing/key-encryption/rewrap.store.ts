import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { dataKeyRow } from '../rows.ts';

/** A data key as it is stored. */
export const storedDataKey = dataKeyRow.omit({ abandoned_at: true });
export type StoredDataKey = z.infer<typeof storedDataKey>;

export const countRow = z.strictObject({ left: z.number() });

export interface RewrapStore {
    /** Returns up to `limit` data keys after `after`, by id, that another KEK than `current` wraps. */
    page(range: { current: string; after: string; limit: number }): Promise<readonly StoredDataKey[]>;
    /** Replaces the wrapped data key. Resolves to false, and writes nothing, if it is no longer as `stored` says. */
    replace(stored: StoredDataKey, next: { kek: string; wrapped: Buffer }): Promise<boolean>;
    /** Counts the data keys that another KEK than `current` wraps. */
    count(current: string): Promise<number>;
}

export function rewrapStore(db: Database): RewrapStore {
    return {
        page: ({ current, after, limit }) =>
            db.rows(sql.type(storedDataKey)`
                SELECT id, account, kek, wrapped FROM signing.data_keys
                WHERE id > ${after} AND kek <> ${current} AND abandoned_at IS NULL ORDER BY id LIMIT ${limit}`),
        async replace({ id, kek, wrapped }, next) {
            const rows = await db.rows(sql.unsafe`
                UPDATE signing.data_keys SET kek = ${next.kek}, wrapped = ${sql.binary(next.wrapped)}
                WHERE id = ${id} AND kek = ${kek} AND wrapped = ${sql.binary(wrapped)} RETURNING id`);
            return rows.length > 0;
        },
        async count(current) {
            const [row] = await db.rows(sql.type(countRow)`
                SELECT count(*) AS left FROM signing.data_keys
                WHERE kek <> ${current} AND abandoned_at IS NULL`);
            return row?.left ?? 0;
        },
    };
}
