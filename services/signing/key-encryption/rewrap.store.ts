import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { dataKeyRow } from '../rows.ts';
import type { PageRange } from './pages.ts';

/** A data key as it is stored. */
export const storedDataKey = dataKeyRow.omit({ abandoned_at: true });
export type StoredDataKey = z.infer<typeof storedDataKey>;

const countRow = z.strictObject({ left: z.number() });

/** The data keys that a condition selects, without those that were given up. */
export function dataKeysWhere(db: Database, condition: ReturnType<typeof sql.fragment>) {
    return {
        page({ after, limit }: PageRange): Promise<readonly StoredDataKey[]> {
            const rest = after === undefined ? sql.fragment`true` : sql.fragment`id > ${after}`;
            return db.rows(sql.type(storedDataKey)`
                SELECT id, account, kek, wrapped FROM signing.data_keys
                WHERE ${condition} AND ${rest} AND abandoned_at IS NULL ORDER BY id LIMIT ${limit}`);
        },
        async count(): Promise<number> {
            const [row] = await db.rows(sql.type(countRow)`
                SELECT count(*) AS left FROM signing.data_keys WHERE ${condition} AND abandoned_at IS NULL`);
            return row?.left ?? 0;
        },
    };
}

export interface RewrapStore {
    /** Returns a page of the data keys that another KEK than `current` wraps. */
    page(current: string, range: PageRange): Promise<readonly StoredDataKey[]>;
    /** Replaces the wrapped data key. Resolves to false, and writes nothing, if it is no longer as `stored` says. */
    replace(stored: StoredDataKey, next: { kek: string; wrapped: Buffer }): Promise<boolean>;
    /** Counts the data keys that another KEK than `current` wraps. */
    count(current: string): Promise<number>;
}

export function rewrapStore(db: Database): RewrapStore {
    const others = (current: string) => dataKeysWhere(db, sql.fragment`kek <> ${current}`);
    return {
        page: (current, range) => others(current).page(range),
        async replace({ id, kek, wrapped }, next) {
            const rows = await db.rows(sql.unsafe`
                UPDATE signing.data_keys SET kek = ${next.kek}, wrapped = ${sql.binary(next.wrapped)}
                WHERE id = ${id} AND kek = ${kek} AND wrapped = ${sql.binary(wrapped)} RETURNING id`);
            return rows.length > 0;
        },
        count: (current) => others(current).count(),
    };
}
