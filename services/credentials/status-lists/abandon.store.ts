import { type Database, sql } from '../../../platform/postgres/db.ts';
import { LIST_PLACES } from './permutation.ts';

/**
 * Gives up the lists that a lost key has signed. They stay readable until they expire. Nobody can sign them again, so
 * they get no further credentials. Returns how many they are.
 */
export async function abandonLists(db: Database, issuerDid: string): Promise<number> {
    const lists = await db.rows(sql.unsafe`
        UPDATE credentials.status_lists SET abandoned_at = now(), taken = ${LIST_PLACES}
        WHERE issuer_did = ${issuerDid} AND abandoned_at IS NULL RETURNING list`);
    return lists.length;
}
