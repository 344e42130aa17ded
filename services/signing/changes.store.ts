import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import type { EventType } from '../../proto/event-types.ts';
import { makeClaim, sealClaim, writeClaimed } from '../idempotency/claims.store.ts';
import { causeOf } from '../outbox/cause.ts';
import { appendOwnEvents } from '../outbox/outbox.store.ts';
import { issuerRow, keyRow, type NewIssuer, type NewKey, type OwnIssuer, type SigningStore } from './rows.ts';

const ISSUER = sql.fragment`id, account, did, method, name, created_at, archived_at`;
const KEY = sql.fragment`kid, alg, issuer, created_at, retired_at, compromised_at, reason`;

const retiredRow = keyRow.pick({ kid: true });
const ownRow = issuerRow.pick({ did: true });

/** Everything that changes issuers and their keys. */
export function changes(
    db: Database,
): Pick<SigningStore, 'insert' | 'rotate' | 'markCompromised' | 'archive' | 'ownIssuer' | 'findOwnIssuer'> {
    return {
        insert: inserting(db),
        rotate: rotating(db),
        markCompromised: marking(db),

        async archive({ account, id, at }, lifetime) {
            const work = async (transaction: Queries) => {
                const [issuer] = await transaction.rows(lockIssuer({ account, id }));
                if (!issuer || issuer.archived_at !== null) return issuer;
                const [archived] = await transaction.rows(sql.type(issuerRow)`
                    UPDATE signing.issuers SET archived_at = ${at} WHERE id = ${id} RETURNING ${ISSUER}`);
                await publish(transaction, issuer, { type: 'issuer.archived', lifetime });
                return archived;
            };
            return db.transaction(work, 'issuer_archive', lifetime);
        },

        async ownIssuer(created, lifetime) {
            const work = async (transaction: Queries) => {
                // Waits for another process that creates it at the same time: the service has one issuer of its own.
                const inserted = await insertIssuer(transaction, created);
                return inserted ? created.issuer.did : findOwn(transaction);
            };
            return db.transaction(work, 'issuer_own', lifetime);
        },
        findOwnIssuer: (lifetime) => findOwn({ rows: (statement) => db.rows(statement, 'issuer_own_find', lifetime) }),
    };
}

function marking(db: Database): SigningStore['markCompromised'] {
    return ({ account, id, kid, at, reason }, lifetime) => {
        const work = async (transaction: Queries) => {
            const [issuer] = await transaction.rows(lockIssuer({ account, id }));
            if (!issuer) return undefined;
            const [marked] = await transaction.rows(sql.type(keyRow)`
                UPDATE signing.keys SET compromised_at = ${at}, reason = ${reason ?? null}
                WHERE kid = ${kid} AND issuer = ${id} AND compromised_at IS NULL RETURNING ${KEY}`);
            if (marked) await publish(transaction, issuer, { type: 'issuer.compromised', kid, lifetime });
            return marked ?? findKey(transaction, id, kid);
        };
        return db.transaction(work, 'issuer_key_compromised', lifetime);
    };
}

function inserting(db: Database): SigningStore['insert'] {
    return ({ issuer, key, quota, claim }, lifetime) => {
        const write = async (transaction: Queries) => {
            const counted = await transaction.rows(sql.unsafe`
                INSERT INTO signing.accounts AS accounts (account, issuers) VALUES (${issuer.account}, 1)
                ON CONFLICT (account) DO UPDATE SET issuers = accounts.issuers + 1 WHERE accounts.issuers < ${quota}
                RETURNING 1`);
            if (counted.length === 0) return false;
            await insertIssuer(transaction, { issuer, key });
            await publish(transaction, issuer, { type: 'issuer.created', kid: key.kid, lifetime });
            return true;
        };
        return writeClaimed(db, { owner: 'signing', claim, name: 'issuer_insert' }, write, lifetime);
    };
}

function rotating(db: Database): SigningStore['rotate'] {
    return ({ key, created_at, mostKeys, claim, ...own }, check, lifetime) => {
        const work = async (transaction: Queries) => {
            const [issuer] = await transaction.rows(lockIssuer(own));
            if (!issuer) return 'missing';
            if (claim && !(await makeClaim(transaction, 'signing', claim))) return 'held';
            check(issuer, await transaction.rows(keysOf(own, mostKeys)));
            const [retired] = await transaction.rows(sql.type(retiredRow)`
                UPDATE signing.keys SET retired_at = ${created_at}
                WHERE issuer = ${own.id} AND alg = ${key.alg} AND retired_at IS NULL AND compromised_at IS NULL
                RETURNING kid`);
            await transaction.rows(insertKey(own.id, key, created_at));
            await publish(transaction, issuer, { type: 'issuer.rotated', kid: key.kid, lifetime });
            const previous = retired?.kid;
            if (claim) await transaction.rows(sealClaim('signing', claim, claim.seal(previous)));
            return { previous };
        };
        return db.transaction(work, 'issuer_rotate', lifetime);
    };
}

/** Returns false if the issuer is one of the service itself, and there is one. */
async function insertIssuer({ rows }: Queries, { issuer, key }: Pick<NewIssuer, 'issuer' | 'key'>): Promise<boolean> {
    const { id, account, did, method, name, created_at } = issuer;
    const inserted = await rows(sql.unsafe`
        INSERT INTO signing.issuers (id, account, did, method, name, created_at)
        VALUES (${id}, ${account}, ${did}, ${method}, ${name}, ${created_at})
        ON CONFLICT ((true)) WHERE account IS NULL AND archived_at IS NULL DO NOTHING RETURNING id`);
    if (inserted.length === 0) return false;
    await rows(insertKey(id, key, created_at));
    return true;
}

function insertKey(issuer: string, { kid, alg, sealed, data_key }: NewKey, createdAt: string) {
    return sql.unsafe`
        INSERT INTO signing.keys (kid, alg, issuer, sealed, data_key, created_at)
        VALUES (${kid}, ${alg}, ${issuer}, ${sql.binary(sealed)}, ${data_key}, ${createdAt})`;
}

function lockIssuer({ account, id }: OwnIssuer) {
    return sql.type(
        issuerRow,
    )`SELECT ${ISSUER} FROM signing.issuers WHERE id = ${id} AND account = ${account} FOR UPDATE`;
}

function keysOf({ id }: OwnIssuer, limit: number) {
    return sql.type(keyRow)`SELECT ${KEY} FROM signing.keys WHERE issuer = ${id} LIMIT ${limit}`;
}

async function findKey({ rows }: Queries, issuer: string, kid: string) {
    const [key] = await rows(
        sql.type(keyRow)`SELECT ${KEY} FROM signing.keys WHERE kid = ${kid} AND issuer = ${issuer}`,
    );
    return key;
}

/** Publishes what has happened to an issuer of an account, and to which of its keys. */
async function publish(
    transaction: Queries,
    { id, account, did }: Pick<NewIssuer['issuer'], 'id' | 'account' | 'did'>,
    {
        type,
        kid,
        lifetime,
    }: { type: Extract<EventType, `issuer.${string}`>; kid?: string; lifetime: CallLifetime | undefined },
): Promise<void> {
    if (account === null) return;
    const data = [{ issuer_id: id, issuer_did: did, ...(kid !== undefined && { kid }) }];
    await appendOwnEvents(transaction, 'signing', { account, type, data, cause: causeOf(lifetime, account) });
}

async function findOwn({ rows }: Pick<Queries, 'rows'>): Promise<string | undefined> {
    const [row] = await rows(sql.type(ownRow)`
        SELECT did FROM signing.issuers WHERE account IS NULL AND archived_at IS NULL`);
    return row?.did;
}
