import { z } from 'zod';
import { type Coalescer, coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Query, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { accountPage } from '../account-pages.store.ts';
import { changes } from './changes.store.ts';
import { checkpoints } from './checkpoints.store.ts';
import { dataKeys } from './data-keys.store.ts';
import { signingErasure } from './erase.store.ts';
import { issuerRow, keyRow, type SigningStore, signerRow } from './rows.ts';

const countRow = z.strictObject({ issuers: z.number() });
/** `key`: what the row was asked for by. */
const signerGroupRow = signerRow.extend({ key: z.string() });
const publicKeyRow = keyRow.pick({ kid: true, alg: true, compromised_at: true }).extend({ key: z.string() });
const kidRow = publicKeyRow.extend(keyRow.pick({ retired_at: true }).shape);
const publicRow = publicKeyRow.extend(issuerRow.pick({ did: true, method: true }).shape);

export function signingStore(db: Database): SigningStore {
    return {
        ...changes(db),
        ...checkpoints(db),
        ...dataKeys(db),
        ...publicRows(db),
        erasure: signingErasure(db),
        async list(page, lifetime) {
            const statement = sql.type(issuerRow)`
                SELECT id, account, did, method, name, created_at, archived_at FROM signing.issuers ${accountPage(page)}`;
            return db.rows(statement, 'issuer_list', lifetime);
        },
        async count(account, lifetime) {
            const statement = sql.type(countRow)`SELECT issuers FROM signing.accounts WHERE account = ${account}`;
            const [row] = await db.rows(statement, 'issuer_count', lifetime);
            return row?.issuers ?? 0;
        },
        async find({ account, id }, lifetime) {
            const statement = sql.type(issuerRow)`
                SELECT id, account, did, method, name, created_at, archived_at FROM signing.issuers
                WHERE id = ${id} AND account = ${account}`;
            const [row] = await db.rows(statement, 'issuer_find', lifetime);
            return row;
        },
        keysOf(issuers, lifetime) {
            const statement = sql.type(keyRow)`
                SELECT kid, alg, issuer, created_at, retired_at, compromised_at, reason FROM signing.keys
                WHERE issuer = ANY(${sql.array([...issuers], 'uuid')})
                ORDER BY issuer, created_at DESC, kid`;
            return db.rows(statement, 'issuer_keys', lifetime);
        },
    };
}

/** What is read for signing and verifying, by DID or issuer. */
function publicRows(db: Database): Pick<SigningStore, 'signer' | 'ownSigner' | 'kids' | 'publicIssuer'> {
    return {
        signer: groups(db, 'signing_signer', (dids) => signersOf(dids, sql.fragment`i.account IS NOT NULL`)),
        ownSigner: groups(db, 'signing_own_signer', (dids) => signersOf(dids, sql.fragment`i.account IS NULL`)),
        kids: groups(
            db,
            'signing_kids',
            (dids) => sql.type(kidRow)`
                SELECT i.did AS key, k.kid, k.alg, k.retired_at, k.compromised_at
                FROM signing.issuers AS i JOIN signing.keys AS k ON k.issuer = i.id
                WHERE i.did = ANY(${sql.array(dids, 'text')}) AND i.method = 'web'`,
        ),
        publicIssuer: groups(
            db,
            'signing_public',
            (ids) => sql.type(publicRow)`
                SELECT i.id AS key, i.did, i.method, k.kid, k.alg, k.compromised_at
                FROM signing.issuers AS i JOIN signing.keys AS k ON k.issuer = i.id
                WHERE i.id = ANY(${sql.array(ids, 'uuid')}) ORDER BY k.created_at DESC, k.kid`,
        ),
    };
}

function signersOf(dids: string[], condition: ReturnType<typeof sql.fragment>) {
    return sql.type(signerGroupRow)`
        SELECT i.did AS key, i.id, i.account, i.did, i.method, i.archived_at, k.kid, k.alg, k.retired_at, k.compromised_at,
            k.sealed, k.data_key
        FROM signing.issuers AS i JOIN signing.keys AS k ON k.issuer = i.id
        WHERE i.did = ANY(${sql.array(dids, 'text')}) AND ${condition}
        ORDER BY k.created_at DESC, k.kid`;
}

/** Finds the groups of rows with the same `key`. One statement serves a batch of calls. */
export function groups<Row extends { key: string }>(
    db: Database,
    name: string,
    query: (keys: string[]) => Query<Row>,
): Coalescer<string, Row[]> {
    return coalesce({
        ...STORE_GROUPS,
        name,
        async run(keys: string[], group: CallLifetime) {
            const rows = await db.prepared(name, query([...new Set(keys)]), group);
            const found = Map.groupBy(rows, ({ key }) => key);
            return keys.map((key): Row[] => found.get(key) ?? []);
        },
    });
}
