import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { claimedAlone, type NewClaim, sealClaim } from '../idempotency/claims.store.ts';
import { insertAtPlace, lockKey } from './columns.store.ts';
import type { KeyRow, LockedKeyRow, NewKeyRow, OwnKey } from './rows.ts';

export interface Rotation extends OwnKey {
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
    /** `version`: that of the old key. If it throws, nothing is changed. */
    beforeCommit(version: number): Promise<void>;
}

export interface Replacement {
    successor: NewKeyRow;
    /** When the old key ends. */
    ends: string;
}

/**
 * Inserts a key that takes the place of another among the account's active keys. Undefined: there is no such key.
 * `held`: nothing was done, because an earlier call holds the claim.
 */
export function rotateKey(
    db: Database,
    { successor, ends, revokes, mostAll, claim, ...own }: Rotation,
    { check, full, beforeCommit }: Steps,
    lifetime?: CallLifetime,
): Promise<Replacement | 'held' | undefined> {
    const work = async (transaction: Queries): Promise<Replacement | 'held' | undefined> => {
        const [key] = await transaction.rows<LockedKeyRow>(lockKey(own));
        if (!key) return undefined;
        if (claim && !(await makeClaim(transaction, claim))) return 'held'; // before an earlier rotation counts against it
        check(key);
        const { account, name, tier, expires_at, scopes, allowed } = key;
        const created = { ...successor, account, name, tier, expires_at, scopes, allowed };
        const inserted = await transaction.rows(sql.unsafe`
            WITH place AS (SELECT account FROM keys.accounts WHERE account = ${account} AND all_keys < ${mostAll} FOR UPDATE)
            ${insertAtPlace(created)}`);
        if (inserted.length === 0) throw full();
        const [old] = await transaction.rows<{ expires_at: string; version: number }>(sql.unsafe`
            UPDATE keys.keys SET replaced_by = ${successor.key_id}, expires_at = least(expires_at, ${ends}::timestamptz),
                revoked_at = ${revokes ? ends : null}::timestamptz, counted = false, version = version + 1,
                updated_at = ${successor.created_at}::timestamptz
            WHERE key_id = ${key.key_id}
            RETURNING expires_at, version`);
        if (!old) throw new Error('the locked row is gone');
        const replacement = { successor: created, ends: old.expires_at };
        if (claim) await transaction.rows(sealClaim('keys', claim, claim.seal(replacement)));
        await beforeCommit(old.version);
        return replacement;
    };
    return db.transaction(work, 'key_rotate', lifetime);
}

/** Returns false if an earlier call holds the claim. */
async function makeClaim({ rows }: Queries, claim: NewClaim): Promise<boolean> {
    const made = await rows(sql.unsafe`WITH ${claimedAlone('keys', claim)} SELECT id FROM claimed`);
    return made.length > 0;
}
