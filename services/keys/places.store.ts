import { z } from 'zod';
import { changeWithin } from '../../platform/postgres/append.store.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { deltasOf } from '../counts/pending.store.ts';

/**
 * An active key has one of the places of its account, whose number is limited. All keys of a place share a bucket, the
 * rate limit window in which their calls count:
 *
 * - A rotation passes place and bucket on to the successor. The predecessor may live on beside it.
 * - A new key takes the bucket of the key that has ended last, unless that was too long ago for its window to be open. So
 *   the buckets that were used within one window are never more than the places that the account may have, whatever it
 *   generates, rotates and ends.
 *
 * Therefore the places in use are the buckets of the keys that live. A statement that changes them locks the account's
 * row first, and calls settlePlaces afterwards.
 */

/** The fragment is true for keys that are neither revoked nor expired. `now` is ISO 8601. */
export const lives = (now: string) =>
    sql.fragment`(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now}::timestamptz))`;

export const BUCKET = sql.fragment`coalesce(bucket, key_id)`;

/** Selects the number of places that the account's keys have. */
export function placesInUse(account: string, now: string) {
    return sql.fragment`SELECT count(DISTINCT ${BUCKET}) FROM keys.keys WHERE account = ${account} AND ${lives(now)}`;
}

/** Selects the bucket of the account's key that has ended last, after `since`, and whose place nobody has taken. */
export function freeBucket({ account, now, since }: { account: string; now: string; since: string }) {
    return sql.fragment`
        SELECT ${BUCKET} FROM keys.keys AS ended
        WHERE account = ${account} AND (revoked_at IS NULL OR revoked_at >= ${since}::timestamptz)
          AND NOT ${lives(now)} AND least(revoked_at, expires_at) >= ${since}::timestamptz
          AND ${BUCKET} NOT IN (SELECT ${BUCKET} FROM keys.keys WHERE account = ${account} AND ${lives(now)})
        ORDER BY least(revoked_at, expires_at) DESC LIMIT 1`;
}

/** Selects the number of the account's keys, including revoked ones. */
export function allKeys(account: string) {
    return sql.fragment`SELECT count(*) FROM keys.keys WHERE account = ${account}`;
}

/** Locks the account's row until the transaction ends. */
export async function lockAccount({ rows }: Queries, account: string): Promise<void> {
    await rows(sql.unsafe`SELECT FROM keys.accounts WHERE account = ${account} FOR UPDATE`);
}

const changedRow = z.strictObject({ account: z.string(), growth: z.number() });

/**
 * Counts the places of accounts whose rows the transaction has locked, after their keys have changed or expired. The
 * newest living key of each place is marked as counted; programs of the previous release rely on that.
 */
export async function settlePlaces(queries: Queries, accounts: readonly string[], now: string): Promise<void> {
    const own = sql.fragment`account = ANY(${sql.array([...accounts], 'uuid')})`;
    await changeWithin(queries, {
        before: sql.fragment`heads AS (
            SELECT DISTINCT ON (account, ${BUCKET}) account, key_id FROM keys.keys WHERE ${own} AND ${lives(now)}
            ORDER BY account, ${BUCKET}, key_id DESC
        ), marked AS (
            UPDATE keys.keys SET counted = NOT counted
            WHERE ${own} AND revoked_at IS NULL AND counted <> (key_id IN (SELECT key_id FROM heads))
        ), places AS (
            SELECT account, active_keys AS before, (SELECT count(*) FROM heads WHERE heads.account = own.account) AS number
            FROM keys.accounts AS own WHERE ${own}
        )`,
        change: sql.fragment`
            UPDATE keys.accounts SET active_keys = number FROM places
            WHERE accounts.account = places.account AND before <> number
            RETURNING accounts.account, number - before AS growth`,
        row: changedRow,
        columns: { account: 'uuid', growth: 'int8' },
        appended: [
            sql.fragment`
            INSERT INTO ${deltasOf('keys')} (account, kind, day, amount)
            SELECT account, 'api_keys_active', (now() AT TIME ZONE 'UTC')::date, growth FROM written`,
        ],
    });
}

/**
 * Maximum number of accounts that one transaction settles. It bounds its locks and its duration. Beyond it: the next
 * transaction takes the rest.
 */
const SETTLED_ACCOUNTS = 100;

const expiredRow = z.strictObject({ account: z.string() });

/** Counts the places of accounts anew in which keys have expired. */
export async function releaseExpired(db: Database, { now }: { now: string }): Promise<void> {
    for (;;) {
        const expired = await db.rows(sql.type(expiredRow)`
            SELECT DISTINCT account FROM (
                SELECT account FROM keys.keys WHERE expires_at <= ${now} AND counted AND revoked_at IS NULL
                ORDER BY expires_at LIMIT ${SETTLED_ACCOUNTS}
            ) AS expired ORDER BY account`);
        if (expired.length === 0) return;
        const accounts = expired.map(({ account }) => account);
        await db.transaction(async (transaction) => {
            for (const account of accounts) await lockAccount(transaction, account);
            await settlePlaces(transaction, accounts, now);
        }, 'keys_release');
    }
}
