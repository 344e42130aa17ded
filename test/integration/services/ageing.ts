import { DAY_MS } from '../../../platform/days.ts';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import type { Redis } from '../../../platform/redis/redis.ts';
import { COUNTING, totalsOf } from '../../../services/counts/pending.store.ts';

/** The columns that hold times. */
const TIMES = [
    ['identity', 'sessions', 'created_at'],
    ['identity', 'sessions', 'expires_at'],
    ['identity', 'sessions', 'ended_at'],
    ['identity', 'spent_refreshes', 'spent_at'],
    ['usage', 'keys', 'last_used_at'],
] as const;
/** Tables with a day. Days are moved far away and back, so that no row collides with another one. */
const DAYS = [
    ['usage', 'days'],
    ['usage', 'keys'],
    ...COUNTING.map((service) => [service, 'deltas'] as const),
] as const;
const FAR = 1_000_000;

/**
 * Makes all records `days` older, and deletes the Redis keys that would have expired by then. For PostgreSQL, Redis and
 * the jobs, which use their own clocks, this has the same effect as waiting.
 */
export async function age(db: Database, redis: Redis, days: number): Promise<void> {
    await db.transaction(async ({ rows }) => {
        for (const [schema, table, column] of TIMES) {
            const name = sql.identifier([column]);
            await rows(sql.unsafe`
                UPDATE ${sql.identifier([schema, table])} SET ${name} = ${name} - ${`${days} days`}::interval`);
        }
        for (const table of DAYS) {
            const target = sql.identifier([...table]);
            await rows(sql.unsafe`UPDATE ${target} SET day = day + ${FAR}::int`);
            await rows(sql.unsafe`UPDATE ${target} SET day = day - ${FAR + days}::int`);
        }
        // The first 48 bits of an id are its time in milliseconds.
        await rows(sql.unsafe`
            UPDATE usage.batches SET id = (lpad(to_hex(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint
                - ${days * DAY_MS}::bigint), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid`);
    });
    for (const key of await redis.keys('*')) await ageKey(redis, key, days);
}

/** Moves the months of the totals back by one. The oldest month stands for all earlier ones and stays. */
export async function ageTotals(db: Database): Promise<void> {
    await db.transaction(async ({ rows }) => {
        const recent = sql.fragment`WHERE month > '0001-01-01'`;
        for (const totals of COUNTING.map(totalsOf)) {
            await rows(sql.unsafe`UPDATE ${totals} SET month = month + interval '1000 years' ${recent}`);
            await rows(sql.unsafe`UPDATE ${totals} SET month = month - interval '1000 years 1 month' ${recent}`);
        }
    });
}

async function ageKey(redis: Redis, key: string, days: number): Promise<void> {
    const left = await redis.pttl(key);
    if (left > 0 && left <= days * DAY_MS) {
        await redis.del(key);
        return;
    }
    if (/^guard:.*:known$/.test(key)) await ageScores(redis, key, days);
    if (left > 0) await redis.pexpire(key, left - days * DAY_MS);
}

/** Makes the scores of a sorted set, which are times, `days` older. */
async function ageScores(redis: Redis, key: string, days: number): Promise<void> {
    for (const member of await redis.zrange(key, '0', '-1')) await redis.zincrby(key, String(-days * DAY_MS), member);
}
