import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { bucketsAwaitingRollUp, keyBucket, sessionsBucket } from '../../../platform/access/limit-record.ts';
import { limiter } from '../../../platform/access/limiter.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { didStore } from '../../../services/did/store.ts';
import { pruneUsage } from '../../../workers/usage/prune.store.ts';
import { findDrift } from '../../../workers/usage/recompute.store.ts';
import { dayText } from '../../../workers/usage/records.ts';
import { rollUpStore } from '../../../workers/usage/roll-up.store.ts';
import { rollUp } from '../../../workers/usage/roll-up.ts';
import { usageService } from '../../../workers/usage/service.ts';
import { usageStore } from '../../../workers/usage/store.ts';
import { quiet, testContext, testDatabase, testRedis } from '../../support/harness.ts';

/** Several shards, so that the roll-up must handle each of them. */
const SHARDS = 4;
const { db } = await testDatabase();
const redis = await testRedis();
const store = usageStore(db);
const usage = usageService({ store, redis, shards: SHARDS, log: quiet, clock: Date.now });
const limits = limiter({ redis, shards: SHARDS, windowMs: 60_000, log: quiet, metrics: createMetrics() });
const dids = didStore(db);

const rollUpAll = () => rollUp({ store: rollUpStore(db), redis, shards: SHARDS });
const makeDid = (account: string | undefined) =>
    dids.insert({ did: `did:test:${randomUUID()}`, public_key: new Uint8Array(32), account, origin: 'generated' });

interface Caller {
    account: string;
    key_id: string;
    /** Makes calls with the account's key, or with its session. */
    call(times: number, by?: 'key' | 'session', limit?: number): Promise<void>;
    verify(times: number): Promise<void>;
    statistics(): ReturnType<typeof usage.getStatistics>;
}

function newCaller(): Caller {
    const account = randomUUID();
    const keyId = randomUUID();
    const tag = shardTag(account, SHARDS);
    const awaitingRollUp = bucketsAwaitingRollUp(tag, account);
    const claim = (by: 'key' | 'session', limit: number) => {
        const bucket = by === 'key' ? keyBucket(tag, account, keyId) : sessionsBucket(tag, account);
        return { tag, bucket, awaitingRollUp, limit };
    };
    const repeat = (times: number, run: () => Promise<unknown>) => Promise.all(Array.from({ length: times }, run));
    return {
        account,
        key_id: keyId,
        async call(times, by = 'key', limit = 1_000) {
            await repeat(times, () => limits.take(claim(by, limit)));
        },
        async verify(times) {
            await repeat(times, () => limits.countVerified(claim('key', 0)));
        },
        statistics: () => usage.getStatistics({}, testContext({ user_id: account })),
    };
}

describe('counts of rows', () => {
    it('are exact at once, and stay the same after one or two roll-ups', async () => {
        const { account, statistics } = newCaller();
        for (let row = 0; row < 5; row++) await makeDid(account);
        assert.equal((await statistics()).dids_total, 5);
        await Promise.all([rollUpAll(), rollUpAll()]);
        assert.deepEqual([(await statistics()).dids_total, (await statistics()).dids_created_this_month], [5, 5]);
        await makeDid(account);
        await rollUpAll();
        assert.equal((await statistics()).dids_total, 6);
    });

    it('of the platform include rows without an owner', async () => {
        const before = (await usage.getPlatformStatistics({}, testContext({ trusted: true }))).dids_created;
        await Promise.all([makeDid(undefined), makeDid(undefined), makeDid(randomUUID())]);
        assert.equal((await usage.getPlatformStatistics({}, testContext({ trusted: true }))).dids_created, before + 3);
        await rollUpAll();
        assert.equal((await usage.getPlatformStatistics({}, testContext({ trusted: true }))).dids_created, before + 3);
    });

    it('agree with the rows, and drift is reported if they do not', async () => {
        await makeDid(randomUUID());
        assert.deepEqual(await findDrift(db), []);
        await rollUpAll();
        assert.deepEqual(await findDrift(db), []);
        const account = randomUUID();
        await db.rows(sql.unsafe`
            INSERT INTO usage.deltas (account, kind, day, amount) VALUES (${account}, 'dids_created', now(), 2)`);
        const drift = await findDrift(db);
        assert.deepEqual(
            drift.filter((row) => row.account === account),
            [{ account, kind: 'dids_created', counted: 2, rows: 0 }],
        );
        await db.rows(sql.unsafe`DELETE FROM usage.deltas WHERE account = ${account}`);
    });
});

describe('counts of requests', () => {
    it('of an account are exact at once over all its buckets, before, during and after a roll-up', async () => {
        const { call, verify, statistics } = newCaller();
        const seen = async () => {
            const { requests_today, requests_this_month, rate_limit_hits, presentations_verified } = await statistics();
            return [requests_today, requests_this_month, rate_limit_hits, presentations_verified];
        };
        await Promise.all([call(7), call(3, 'session'), verify(2)]);
        await call(5, 'key', 4); // its window is full: all refused
        assert.deepEqual(await seen(), [10, 10, 5, 2]);
        const folding = rollUpAll();
        assert.deepEqual(await seen(), [10, 10, 5, 2]);
        await folding;
        assert.deepEqual(await seen(), [10, 10, 5, 2]);
        await call(1); // adds to the rolled-up counts of the same bucket
        assert.deepEqual(await seen(), [11, 11, 5, 2]);
        await Promise.all([call(1), rollUpAll(), call(1, 'session'), rollUpAll(), verify(1)]);
        assert.deepEqual(await seen(), [13, 13, 5, 3]);
        await rollUpAll();
        assert.deepEqual(await seen(), [13, 13, 5, 3]);
    });

    it('of a key are exact at once, and survive a loss of Redis data after the roll-up', async () => {
        const { account, key_id, call, statistics } = newCaller();
        const context = testContext({ user_id: account });
        const requests = async () => (await usage.getKeyUsage({ key_ids: [key_id] }, context)).keys[0]?.requests_today;
        await call(4);
        assert.equal(await requests(), 4);
        await rollUpAll();
        await redis.del(keyBucket(shardTag(account, SHARDS), account, key_id));
        assert.equal(await requests(), 4);
        await call(2);
        assert.deepEqual([await requests(), (await statistics()).requests_today], [6, 6]);
        await rollUpAll();
        assert.deepEqual([await requests(), (await statistics()).requests_today], [6, 6]);
    });

    it('show when a key was last used, and that another key was never used', async () => {
        const { account, key_id, call } = newCaller();
        const before = Date.now() - 1_000;
        await call(1);
        const { keys } = await usage.getKeyUsage(
            { key_ids: [key_id, randomUUID()] },
            testContext({ user_id: account }),
        );
        assert.ok(Date.parse(keys[0]?.last_used_at ?? '') >= before);
        assert.equal(keys[1]?.last_used_at, undefined);
    });

    it('make an account active today, also in the statistics of the platform', async () => {
        const before = await usage.getPlatformStatistics({}, testContext({ trusted: true }));
        const { call } = newCaller();
        await call(3);
        const after = await usage.getPlatformStatistics({}, testContext({ trusted: true }));
        assert.equal(after.users_active_today, before.users_active_today + 1);
        assert.ok(after.requests_today >= before.requests_today + 3);
        await rollUpAll();
        const rolledUp = await usage.getPlatformStatistics({}, testContext({ trusted: true }));
        assert.equal(rolledUp.users_active_today, after.users_active_today);
        assert.equal(rolledUp.requests_today, after.requests_today);
    });

    it('leave nothing waiting in Redis after the roll-up', async () => {
        const { account, call } = newCaller();
        await call(1);
        assert.equal(await redis.exists(bucketsAwaitingRollUp(shardTag(account, SHARDS), account)), 1);
        await rollUpAll();
        assert.equal(await redis.exists(bucketsAwaitingRollUp(shardTag(account, SHARDS), account)), 0);
    });
});

it('pruning removes the rows that no answer needs any more, and keeps the others', async () => {
    const { account, key_id, statistics } = newCaller();
    const bucket = keyBucket(shardTag(account, SHARDS), account, key_id);
    const at = (months: number) => sql.fragment`(now() - ${`${months} months`}::interval)`;
    for (const [months, life] of [
        [4, 1],
        [3, 1],
        [3, 2],
    ] as const) {
        await db.rows(sql.unsafe`
            INSERT INTO usage.requests (bucket, account, day, life, requests, refused, verified, last_used_at)
            VALUES (${bucket}, ${account}, ${at(months)}::date, ${life}, 1, 0, 0, ${at(months)})`);
        await db.rows(sql.unsafe`
            INSERT INTO usage.days (account, day, requests, logins) VALUES (${account}, ${at(months)}::date, 1, 0)
            ON CONFLICT DO NOTHING`);
    }
    assert.equal(await pruneUsage(db, dayText(Date.now())), 4);
    assert.equal(await pruneUsage(db, dayText(Date.now())), 0);
    const { keys } = await usage.getKeyUsage({ key_ids: [key_id] }, testContext({ user_id: account }));
    assert.ok(keys[0]?.last_used_at);
    assert.equal((await statistics()).requests_this_month, 0);
});

it('the usage of keys is returned for at most 1,000 ids, and malformed ids are refused', async () => {
    const context = testContext({ user_id: randomUUID() });
    for (const keyIds of [['\0'], [''], Array.from({ length: 1_001 }, () => randomUUID())]) {
        await assert.rejects(usage.getKeyUsage({ key_ids: keyIds }, context), { kind: 'invalid' });
    }
    const keyIds = Array.from({ length: 1_000 }, () => randomUUID());
    assert.equal((await usage.getKeyUsage({ key_ids: keyIds }, context)).keys.length, 1_000);
});
