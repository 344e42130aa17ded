import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { arrayOf, KEY_COLUMNS, lockKey } from './columns.store.ts';
import { BUCKET, freeBucket, lives, lockAccount, placesInUse, settlePlaces } from './places.store.ts';
import { hasExpired, type Restrictions } from './restrictions.ts';
import { type KeyRow, keyRow, type LockedKeyRow, type OwnKey } from './rows.ts';

interface RestrictionChange extends OwnKey {
    name: string | undefined;
    change: Partial<Restrictions>;
    now: string;
    /** Windows of keys that have ended since then may be open (ISO 8601). */
    since: string;
    /** Maximum number of active keys of the account. */
    mostActive: number;
}

/** The key after the change. */
const changedKey = keyRow.extend({ version: z.number() });
type ChangedKey = z.infer<typeof changedKey>;

const placesRow = z.strictObject({
    has_place: z.boolean(),
    places: z.number(),
    free: z.string().nullable(),
    is_own_taken: z.boolean(),
});

interface Steps {
    /** Throws if the key may not be changed in this way. */
    check(key: KeyRow): void;
    /** Returns the error if the key would be active again, but the account has no place for it. */
    full(): Error;
}

/**
 * Changes restrictions of a key in a transaction, which gives it the next version. An expired key that lives again needs
 * a place. Undefined: there is no such key.
 */
export function restrictKey(
    db: Database,
    { name, change, now, since, mostActive, ...own }: RestrictionChange,
    { check, full }: Steps,
    lifetime?: CallLifetime,
): Promise<ChangedKey | undefined> {
    const work = async (transaction: Queries): Promise<ChangedKey | undefined> => {
        if (change.expires_at !== undefined) await lockAccount(transaction, own.account);
        const [key] = await transaction.rows(lockKey(own));
        if (!key) return undefined;
        check(key);
        const next = { ...key, ...change };
        const isBack =
            key.revoked_at === null && hasExpired(key, Date.parse(now)) && !hasExpired(next, Date.parse(now));
        const bucket = isBack ? await takePlace(transaction, key, { now, since, mostActive }) : key.bucket;
        if (bucket === undefined) throw full();
        const [changed] = await transaction.rows(restricted({ ...next, name: name ?? key.name, bucket }, now));
        if (isBack) await settlePlaces(transaction, [own.account], now);
        return changed;
    };
    return db.transaction(work, 'key_restrict', lifetime);
}

/**
 * Writes the restrictions and the name of a key. A repeated change gives it a version, too, because a gateway may not know
 * the first one, but not a later `updated_at`: its answer is the one of the first call.
 */
function restricted({ key_id, name, bucket, expires_at, scopes, allowed }: LockedKeyRow, now: string) {
    const values = sql.fragment`
        ${name}::text, ${expires_at}::timestamptz, ${arrayOf(scopes, 'text')}::text[], ${arrayOf(allowed, 'cidr')}::cidr[]`;
    return sql.type(changedKey)`
        UPDATE keys.keys SET (name, expires_at, scopes, allowed) = ROW (${values}), bucket = ${bucket}, version = version + 1,
            updated_at = CASE WHEN (name, expires_at, scopes, allowed) IS NOT DISTINCT FROM (${values})
                THEN updated_at ELSE ${now} END
        WHERE key_id = ${key_id}
        RETURNING ${KEY_COLUMNS}, version`;
}

/**
 * Returns the bucket of a key that lives again: its own if a key that it has replaced still has its place, otherwise one
 * as a new key would get. Undefined: the account has no place for it.
 */
async function takePlace(
    { rows }: Queries,
    { account, key_id, bucket }: LockedKeyRow,
    { now, since, mostActive }: Pick<RestrictionChange, 'now' | 'since' | 'mostActive'>,
): Promise<string | undefined> {
    const [found] = await rows(
        sql.type(placesRow)`
            SELECT EXISTS (SELECT FROM keys.keys WHERE account = ${account} AND replaced_by = ${key_id} AND ${lives(now)})
                       AS has_place,
                   (${placesInUse(account, now)}) AS places, (${freeBucket({ account, now, since })}) AS free,
                   EXISTS (SELECT FROM keys.keys WHERE account = ${account} AND ${BUCKET} = ${bucket} AND ${lives(now)})
                       AS is_own_taken`,
    );
    if (found?.has_place) return bucket;
    if (!found || found.places >= mostActive) return undefined;
    return found.free ?? (found.is_own_taken ? newId() : bucket);
}
