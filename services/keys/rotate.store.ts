import { z } from 'zod';
import type { Version } from '../../platform/access/liveness-marks.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { makeClaim, type NewClaim, sealClaim } from '../idempotency/claims.store.ts';
import { causeOf } from '../outbox/cause.ts';
import { appendOwnEvents } from '../outbox/outbox.store.ts';
import { insertedKey, lockKey } from './columns.store.ts';
import { allKeys, BUCKET, lives, lockAccount, settlePlaces } from './places.store.ts';
import { type KeyRow, type NewKeyRow, type OwnKey, versionRow } from './rows.ts';

interface Rotation extends OwnKey {
    /** The new key, without what it takes over from the old one. */
    successor: Pick<NewKeyRow, 'key_id' | 'hash' | 'mask' | 'created_at'>;
    /** When the old key ends, at the latest. */
    ends: string;
    /** True if the old key is revoked at once. */
    revokes: boolean;
    /** Maximum number of keys of the account, including revoked ones. */
    mostAll: number;
    /** The claim of the call's Idempotency-Key, if it has one. */
    claim: AnswerClaim | undefined;
}

interface AnswerClaim extends NewClaim {
    /** Returns the answer, sealed. */
    seal(replacement: Replacement): Buffer;
}

interface Steps {
    /** Throws if the key may not be replaced. */
    check(key: KeyRow): void;
    /** Returns the error if the account may have no more keys. */
    full(): Error;
}

export interface Replacement {
    successor: NewKeyRow;
    /** When the old key ends. */
    ends: string;
    /** The old key and the earlier ones at its place, with their new versions. */
    changed: readonly Version[];
}

const replacedRow = versionRow.extend({ expires_at: z.string() });

/**
 * Inserts a key that takes over the place and the bucket of another one. An earlier key at this place, which the other
 * one has replaced, ends. Undefined: there is no such key. `held`: nothing was done, because an earlier call holds the
 * claim.
 */
export function rotateKey(
    db: Database,
    { successor, ends, revokes, mostAll, claim, ...own }: Rotation,
    { check, full }: Steps,
    lifetime?: CallLifetime,
): Promise<Replacement | 'held' | undefined> {
    const now = successor.created_at;
    const work = async (transaction: Queries): Promise<Replacement | 'held' | undefined> => {
        await lockAccount(transaction, own.account);
        const [key] = await transaction.rows(lockKey(own));
        if (!key) return undefined;
        // Before an earlier rotation counts against it.
        if (claim && !(await makeClaim(transaction, 'keys', claim))) return 'held';
        check(key);
        const { account, name, tier, expires_at, scopes, allowed, bucket } = key;
        const ended = await transaction.rows(sql.type(versionRow)`
            UPDATE keys.keys SET revoked_at = ${now}, updated_at = ${now}, version = version + 1
            WHERE account = ${account} AND ${BUCKET} = ${bucket} AND ${lives(now)} AND key_id <> ${key.key_id}
            RETURNING key_id AS id, version`);
        const created = { ...successor, account, name, tier, expires_at, scopes, allowed };
        const inserted = await transaction.rows(sql.unsafe`
            ${insertedKey(created, sql.fragment`${bucket}::uuid`)} WHERE (${allKeys(account)}) < ${mostAll} RETURNING key_id`);
        if (inserted.length === 0) throw full();
        const [old] = await transaction.rows(sql.type(replacedRow)`
            UPDATE keys.keys SET replaced_by = ${successor.key_id}, expires_at = least(expires_at, ${ends}::timestamptz),
                revoked_at = ${revokes ? ends : null}::timestamptz, version = version + 1, updated_at = ${now}
            WHERE key_id = ${key.key_id}
            RETURNING key_id AS id, version, expires_at`);
        if (!old) throw new Error('the locked row is gone');
        await settlePlaces(transaction, [account], now);
        const cause = causeOf(lifetime, account);
        const data = [{ key_id: key.key_id, successor_id: successor.key_id }];
        await appendOwnEvents(transaction, 'keys', { account, type: 'key.rotated', data, cause });
        const revoked = ended.map(({ id }) => ({ key_id: id }));
        await appendOwnEvents(transaction, 'keys', { account, type: 'key.revoked', data: revoked, cause });
        const replacement = { successor: created, ends: old.expires_at, changed: [old, ...ended] };
        if (claim) await transaction.rows(sealClaim('keys', claim, claim.seal(replacement)));
        return replacement;
    };
    return db.transaction(work, 'key_rotate', lifetime);
}
