import type { z } from 'zod';
import { type Database, type Queries, sql } from '../../../platform/postgres/db.ts';
import { issuerRow } from '../rows.ts';
import { type StoredDataKey, storedDataKey } from './rewrap.store.ts';

const abandonedRow = issuerRow.pick({ account: true, did: true, method: true });
type AbandonedRow = z.infer<typeof abandonedRow>;

/** An issuer whose active key is lost. */
export interface AbandonedIssuer extends AbandonedRow {
    /** Number of the status lists that it has signed. */
    lists: number;
}

export interface AbandonStore {
    /** Returns up to `limit` data keys after `after`, by id, that have this id, or that the key of this name wraps. */
    page(range: { named: string; after: string; limit: number }): Promise<readonly StoredDataKey[]>;
    /** Gives up these data keys. Returns the issuers that have no active key any more. */
    abandon(ids: readonly string[], at: string): Promise<readonly AbandonedIssuer[]>;
}

/** `abandonLists` gives up the status lists that a DID has signed, and returns how many they are. */
export function abandonStore(
    db: Database,
    abandonLists: (queries: Queries, issuerDid: string) => Promise<number>,
): AbandonStore {
    return {
        page: ({ named, after, limit }) =>
            db.rows(sql.type(storedDataKey)`
                SELECT id, account, kek, wrapped FROM signing.data_keys
                WHERE id > ${after} AND (kek = ${named} OR id::text = ${named}) AND abandoned_at IS NULL
                ORDER BY id LIMIT ${limit}`),
        abandon: (ids, at) =>
            db.transaction(async (queries) => {
                const issuers = await abandonKeys(queries, sql.array([...ids], 'uuid'), at);
                const all: AbandonedIssuer[] = [];
                for (const issuer of issuers) {
                    const lists = issuer.account === null ? await abandonLists(queries, issuer.did) : 0;
                    all.push({ ...issuer, lists });
                }
                return all;
            }),
    };
}

async function abandonKeys({ rows }: Queries, ids: ReturnType<typeof sql.array>, at: string): Promise<AbandonedRow[]> {
    await rows(sql.unsafe`
        UPDATE signing.data_keys SET abandoned_at = ${at} WHERE id = ANY(${ids}) AND abandoned_at IS NULL`);
    const archived = await rows(sql.type(abandonedRow)`
        UPDATE signing.issuers AS i SET archived_at = ${at} FROM signing.keys AS k
        WHERE k.data_key = ANY(${ids}) AND i.id = k.issuer AND i.method = 'key' AND i.archived_at IS NULL
        RETURNING i.account, i.did, i.method`);
    const retired = await rows(sql.type(abandonedRow)`
        UPDATE signing.keys AS k SET retired_at = ${at} FROM signing.issuers AS i
        WHERE k.data_key = ANY(${ids}) AND i.id = k.issuer AND i.method = 'web' AND i.archived_at IS NULL
            AND k.retired_at IS NULL AND k.compromised_at IS NULL
        RETURNING i.account, i.did, i.method`);
    return [...archived, ...retired];
}
