import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { bucketsAwaitingRollUp, keyBucket } from '../../../platform/access/limit-record.ts';
import { limiter } from '../../../platform/access/limiter.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { rollUpStore } from '../../../workers/usage/roll-up.store.ts';
import { usageService } from '../../../workers/usage/service.ts';
import { PLATFORM, usageStore } from '../../../workers/usage/store.ts';
import { quiet, testContext, testDatabase, testRedis } from '../../support/harness.ts';
import { ageRecord } from '../services/ageing.ts';

const { db } = await testDatabase();
const redis = await testRedis();
const store = usageStore(db);
const [TODAY, WEEK] = ['2026-03-03', '2026-02-25'];

const ofPlatform = (today = TODAY) => store.rolledUp({ account: PLATFORM, today, live: [] });

async function addDelta(account: string, kind: string, day: string, amount = 1): Promise<void> {
    await db.rows(sql.unsafe`
        INSERT INTO usage.deltas (account, kind, day, amount) VALUES (${account}, ${kind}, ${day}, ${amount})`);
}

it('a week is today and the six days before, for requests and for active accounts', async () => {
    for (const [day, requests] of [
        [TODAY, 1],
        [WEEK, 10],
        ['2026-02-24', 100],
    ] as const) {
        await db.rows(sql.unsafe`
            INSERT INTO usage.days (account, day, requests, logins) VALUES (${randomUUID()}, ${day}, ${requests}, 0)`);
    }
    const { requests_today, requests_this_week } = await ofPlatform();
    assert.deepEqual([requests_today, requests_this_week], [1, 11]);
    assert.deepEqual(await store.active({ today: TODAY, week: WEEK, live: [] }), { today: 1, this_week: 2 });
});

it('a login makes an account active before the roll-up, and other pending counts do not', async () => {
    const before = await store.active({ today: TODAY, week: WEEK, live: [] });
    await addDelta(randomUUID(), 'logins', TODAY);
    await addDelta(randomUUID(), 'dids_created', TODAY);
    const { today, this_week } = await store.active({ today: TODAY, week: WEEK, live: [] });
    assert.deepEqual([today - before.today, this_week - before.this_week], [1, 1]);
});

it('counts of an earlier month are in the total but not in this month, before and after the roll-up', async () => {
    const account = randomUUID();
    await addDelta(account, 'wallets', '2026-02-28', 3);
    await addDelta(account, 'wallets', '2026-03-01', 4);
    const amountsNow = async () => (await store.rolledUp({ account, today: TODAY, live: [] })).amounts;
    const expected = [{ kind: 'wallets', total: 7, this_month: 4 }];
    assert.deepEqual(await amountsNow(), expected);
    await rollUpStore(db).rollUpPendingCounts();
    assert.deepEqual(await amountsNow(), expected);
});

it('older counts of a record that are recorded after newer ones change nothing', async () => {
    const [account, day] = [randomUUID(), '2026-07-07'];
    const count = (requests: number, bucket = `${account} a`) => ({
        ...{ bucket, account, day, life: 1, last_used_at: null },
        ...{ requests, refused: requests, verified: requests },
    });
    const { recordRequests } = rollUpStore(db);
    const seen = async () => {
        const { amounts, requests_today } = await store.rolledUp({ account, today: day, live: [] });
        return [requests_today, ...amounts.map(({ total }) => total)];
    };
    await recordRequests([count(5)]);
    assert.deepEqual(await seen(), [5, 5, 5, 5]);
    await recordRequests([count(3)]);
    assert.deepEqual(await seen(), [5, 5, 5, 5]);
    await recordRequests([count(4), count(1, `${account} b`)]);
    assert.deepEqual(await seen(), [6, 6, 6, 6], 'they do not reduce the growth of another bucket');
    await recordRequests([count(6)]);
    assert.deepEqual(await seen(), [7, 7, 7, 7]);
});

it('calls for no account are not recorded as requests of an account', async () => {
    const count = { bucket: 'b', account: PLATFORM, day: '2026-12-01', life: 1, requests: 5, refused: 0, verified: 0 };
    await rollUpStore(db).recordRequests([{ ...count, last_used_at: null }]);
    assert.equal((await ofPlatform('2026-12-01')).requests_today, 0);
});

it('calls on the last day of a month that await the roll-up do not count in the next month', async () => {
    const account = randomUUID();
    const tag = shardTag(account, 1);
    const bucket = keyBucket(tag, account, randomUUID());
    const metrics = createMetrics();
    const { take } = limiter({ redis, shards: 1, windowMs: 60_000, log: quiet, metrics });
    await take({ tag, bucket, awaitingRollUp: bucketsAwaitingRollUp(tag, account), limit: 10 });
    const now = new Date();
    const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
    const statisticsAt = (time: number) =>
        usageService({ store, redis, shards: 1, log: quiet, clock: () => time }).getStatistics(
            {},
            testContext({ user_id: account }),
        );
    assert.equal((await statisticsAt(now.getTime())).requests_this_month, 1);
    await ageRecord(redis, bucket, now.getUTCDate()); // back to the last day of the previous month
    const { requests_this_month, requests_today } = await statisticsAt(first);
    assert.deepEqual([requests_this_month, requests_today], [0, 0]);
});
