import { type Database, sql } from '../../platform/postgres/db.ts';
import { dataKeyRow, type SigningStore } from './rows.ts';

const DATA_KEY = sql.fragment`id, account, kek, wrapped, abandoned_at`;

const kekRow = dataKeyRow.pick({ kek: true });

/** The wrapped data keys of the accounts. */
export function dataKeys(
    db: Database,
): Pick<SigningStore, 'findDataKey' | 'dataKeyOf' | 'insertDataKey' | 'keksInUse' | 'oldestDataKeys'> {
    return {
        async findDataKey(id, lifetime) {
            const statement = sql.type(dataKeyRow)`SELECT ${DATA_KEY} FROM signing.data_keys WHERE id = ${id}`;
            const [row] = await db.rows(statement, 'data_key_find', lifetime);
            return row;
        },
        async dataKeyOf(account, lifetime) {
            const owned = account === null ? sql.fragment`account IS NULL` : sql.fragment`account = ${account}`;
            const statement = sql.type(dataKeyRow)`
                SELECT ${DATA_KEY} FROM signing.data_keys WHERE ${owned} AND abandoned_at IS NULL
                ORDER BY created_at DESC LIMIT 1`;
            const [row] = await db.rows(statement, 'data_key_of_account', lifetime);
            return row;
        },
        async insertDataKey({ id, account, kek, wrapped, created_at }, lifetime) {
            const statement = sql.unsafe`
                INSERT INTO signing.data_keys (id, account, kek, wrapped, created_at)
                VALUES (${id}, ${account}, ${kek}, ${sql.binary(wrapped)}, ${created_at})`;
            await db.rows(statement, 'data_key_insert', lifetime);
        },
        async keksInUse() {
            // One look into the index for each name. DISTINCT would read all rows.
            const rows = await db.rows(sql.type(kekRow)`
                WITH RECURSIVE used AS (
                    SELECT min(kek) AS kek FROM signing.data_keys WHERE abandoned_at IS NULL
                    UNION ALL
                    SELECT (SELECT min(kek) FROM signing.data_keys WHERE abandoned_at IS NULL AND kek > used.kek)
                    FROM used WHERE used.kek IS NOT NULL)
                SELECT kek FROM used WHERE kek IS NOT NULL`);
            return rows.map(({ kek }) => kek);
        },
        async oldestDataKeys(kek, limit) {
            return db.rows(sql.type(dataKeyRow)`
                SELECT ${DATA_KEY} FROM signing.data_keys WHERE kek = ${kek} AND abandoned_at IS NULL
                ORDER BY id LIMIT ${limit}`);
        },
    };
}
