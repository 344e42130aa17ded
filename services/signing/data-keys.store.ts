import { type Database, sql } from '../../platform/postgres/db.ts';
import type { DataKeyRow, SigningStore } from './rows.ts';

/** The wrapped data keys of the accounts. */
export function dataKeys(db: Database): Pick<SigningStore, 'findDataKey' | 'dataKeyOf' | 'insertDataKey'> {
    return {
        async findDataKey(id, lifetime) {
            const statement = sql.unsafe`SELECT id, account, kek, wrapped FROM signing.data_keys WHERE id = ${id}`;
            const [row] = await db.rows<DataKeyRow>(statement, 'data_key_find', lifetime);
            return row;
        },
        async dataKeyOf(account, lifetime) {
            const statement = sql.unsafe`
                SELECT id, account, kek, wrapped FROM signing.data_keys
                WHERE account IS NOT DISTINCT FROM ${account}::uuid ORDER BY id LIMIT 1`;
            const [row] = await db.rows<DataKeyRow>(statement, 'data_key_of_account', lifetime);
            return row;
        },
        async insertDataKey({ id, account, kek, wrapped, created_at }, lifetime) {
            const statement = sql.unsafe`
                INSERT INTO signing.data_keys (id, account, kek, wrapped, created_at)
                VALUES (${id}, ${account}, ${kek}, ${sql.binary(wrapped)}, ${created_at})`;
            await db.rows(statement, 'data_key_insert', lifetime);
        },
    };
}
