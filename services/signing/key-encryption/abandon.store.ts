import type { z } from 'zod';
import { type Database, type Queries, sql } from '../../../platform/postgres/db.ts';
import { issuerRow, keyRow } from '../rows.ts';
import type { PageRange } from './pages.ts';
import { dataKeysWhere, type StoredDataKey } from './rewrap.store.ts';

const abandonedIssuer = issuerRow
    .pick({ account: true, did: true, method: true })
    .extend(keyRow.pick({ alg: true }).shape);
/** An issuer, and the algorithm whose active key is lost. */
export type AbandonedIssuer = z.infer<typeof abandonedIssuer>;

const listSigner = issuerRow.pick({ did: true });

export interface AbandonStore {
    /** Returns a page of the data keys that have this id, or that the key of this name wraps. */
    page(named: string, range: PageRange): Promise<readonly StoredDataKey[]>;
    /** Returns the DIDs of the service itself, which sign its status lists, whose keys these data keys seal. */
    listSigners(ids: readonly string[]): Promise<string[]>;
    /** Gives up these data keys. Returns the issuers that have no active key for an algorithm any more. */
    abandon(ids: readonly string[], at: string): Promise<readonly AbandonedIssuer[]>;
}

export function abandonStore(db: Database): AbandonStore {
    return {
        page: (named, range) => dataKeysWhere(db, sql.fragment`(kek = ${named} OR id::text = ${named})`).page(range),
        async listSigners(ids) {
            const signers = await db.rows(sql.type(listSigner)`
                SELECT DISTINCT i.did FROM signing.keys AS k JOIN signing.issuers AS i ON i.id = k.issuer
                WHERE k.data_key = ANY(${sql.array([...ids], 'uuid')}) AND i.account IS NULL`);
            return signers.map(({ did }) => did);
        },
        abandon: (ids, at) => db.transaction((queries) => abandonKeys(queries, sql.array([...ids], 'uuid'), at)),
    };
}

async function abandonKeys(
    { rows }: Queries,
    ids: ReturnType<typeof sql.array>,
    at: string,
): Promise<AbandonedIssuer[]> {
    await rows(sql.unsafe`
        UPDATE signing.data_keys SET abandoned_at = ${at} WHERE id = ANY(${ids}) AND abandoned_at IS NULL`);
    const archived = await rows(sql.type(abandonedIssuer)`
        UPDATE signing.issuers AS i SET archived_at = ${at} FROM signing.keys AS k
        WHERE k.data_key = ANY(${ids}) AND i.id = k.issuer AND i.method = 'key' AND i.archived_at IS NULL
        RETURNING i.account, i.did, i.method, k.alg`);
    const retired = await rows(sql.type(abandonedIssuer)`
        UPDATE signing.keys AS k SET retired_at = ${at} FROM signing.issuers AS i
        WHERE k.data_key = ANY(${ids}) AND i.id = k.issuer AND i.method = 'web' AND i.archived_at IS NULL
            AND k.retired_at IS NULL AND k.compromised_at IS NULL
        RETURNING i.account, i.did, i.method, k.alg`);
    return [...archived, ...retired];
}
