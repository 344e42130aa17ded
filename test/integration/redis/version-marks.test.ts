import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { epochKey, keyBucket } from '../../../platform/access/buckets.ts';
import type { Confirmation } from '../../../platform/access/limit-script.ts';
import { LIVENESS_MARK_MS, livenessMarkKey, livenessMarks } from '../../../platform/access/liveness-marks.ts';
import { openRedis, shardTag } from '../../../platform/redis/redis.ts';
import { quiet } from '../../support/context.ts';
import { testLimiter, testRedis } from '../../support/test-redis.ts';

const redis = await testRedis();
const { take } = testLimiter({ redis });
const marks = livenessMarks({ redis, shards: 1 });

/** A key whose shard's epoch the limiter knows. `call` makes a call by a gateway that knows this version. */
async function newKey() {
    const [account, keyId] = [randomUUID(), randomUUID()];
    const tag = shardTag(account, 1);
    const key = { tag, bucket: keyBucket(tag, account, keyId), mark: livenessMarkKey(tag, 'key', keyId), limit: 100 };
    await take({ ...key, mark: `${key.mark}:warm` });
    const confirmed = (byThisCall: boolean): Confirmation => ({ askedAt: performance.now(), byThisCall });
    return {
        mark: () => redis.get(key.mark),
        epoch: () => redis.get(epochKey(tag)),
        call: async (version: number) => (await take({ ...key, version })).state,
        /** A call with the owning service's answer to an earlier call. */
        callConfirmed: async (version: number) => (await take({ ...key, version }, confirmed(false))).state,
        /** A call that has asked the owning service itself. */
        callAsked: async (version: number) => take({ ...key, version }, confirmed(true)),
        change: (version: number) =>
            marks.changeVersions({ account, subject: 'key', versions: [{ id: keyId, version }] }),
        revoke: () => marks.refuse({ account, subject: 'key', ids: [keyId] }),
        lastsMs: () => redis.pttl(key.mark),
    };
}

describe('a live mark', () => {
    it('of a key that was never changed is the name of the epoch, as gateways of earlier releases write and read it', async () => {
        const key = await newKey();
        assert.equal(await key.callConfirmed(0), 'admitted');
        assert.equal(await key.mark(), await key.epoch());
        assert.equal(await key.call(0), 'admitted');
    });

    it('is void for a gateway that knows another version, older or newer', async () => {
        const key = await newKey();
        await key.callConfirmed(2);
        assert.equal(await key.mark(), `${await key.epoch()}/2`);
        assert.deepEqual(
            [await key.call(1), await key.call(2), await key.call(3)],
            ['unconfirmed', 'admitted', 'unconfirmed'],
        );
    });

    it('is not replaced by a confirmation of an older version that was under way', async () => {
        const key = await newKey();
        await key.callConfirmed(2);
        assert.equal(await key.callConfirmed(1), 'unconfirmed');
        assert.equal(await key.callConfirmed(0), 'unconfirmed');
        assert.deepEqual([await key.call(2), await key.call(0)], ['admitted', 'unconfirmed']);
    });
});

describe('a version mark', () => {
    it('voids a live mark for a minute, until the owning service confirms this version or a later one', async () => {
        const key = await newKey();
        await key.callConfirmed(0);
        assert.equal(await key.change(1), undefined);
        assert.equal(await key.mark(), 'S1');
        assert.ok((await key.lastsMs()) > LIVENESS_MARK_MS - 20_000);
        assert.deepEqual(
            [await key.call(0), await key.callConfirmed(0), await key.call(1)],
            Array(3).fill('unconfirmed'),
        );
        assert.equal(await key.callConfirmed(1), 'admitted');
        assert.deepEqual([await key.call(0), await key.call(1)], ['unconfirmed', 'admitted']);
    });

    it('lets a call that has asked by itself be counted, and stays: it began before the change was answered', async () => {
        const key = await newKey();
        await key.change(1);
        const { state, remaining } = await key.callAsked(0);
        assert.deepEqual([state, remaining, await key.mark()], ['admitted', 99, 'S1']);
    });

    it('is not replaced by that of an earlier version, which arrives late', async () => {
        const key = await newKey();
        await key.change(10);
        await key.change(9);
        assert.equal(await key.mark(), 'S10');
        await key.callConfirmed(10);
        await key.change(9);
        assert.equal(await key.call(10), 'admitted');
    });

    it('does not replace a refused mark, and is replaced by one', async () => {
        const key = await newKey();
        await key.revoke();
        await key.change(1);
        assert.deepEqual([await key.mark(), await key.callConfirmed(1)], ['R', 'refused']);
        const other = await newKey();
        await other.change(1);
        await other.revoke();
        assert.equal((await other.callAsked(1)).state, 'refused');
    });

    it('that cannot be set is reported as an error that asks for a repetition', async (t) => {
        const away = openRedis({ url: 'redis://127.0.0.1:1', log: quiet });
        t.after(() => away.disconnect());
        const without = livenessMarks({ redis: away, shards: 1 });
        const failure = await without.changeVersions({
            account: randomUUID(),
            subject: 'key',
            versions: [{ id: randomUUID(), version: 1 }],
        });
        assert.equal(failure?.kind, 'unavailable');
        assert.match(failure?.detail ?? '', /^It is changed, but some gateways may not know it yet\./);
    });
});

describe('the weight of a call', () => {
    it('is admitted as a whole or not at all, and 0 counts nothing', async () => {
        const tag = shardTag(randomUUID(), 1);
        const bucket = keyBucket(tag, randomUUID(), randomUUID());
        const weighed = async (weight: number) => {
            const { state, remaining } = await take({ tag, bucket, limit: 10, weight });
            return [state, remaining];
        };
        assert.deepEqual(await weighed(0), ['admitted', 10]);
        assert.deepEqual(await weighed(7), ['admitted', 3]);
        assert.deepEqual(await weighed(4), ['limited', 3]);
        assert.deepEqual(await weighed(3), ['admitted', 0]);
        assert.deepEqual(
            [await weighed(1), await weighed(0)],
            [
                ['limited', 0],
                ['admitted', 0],
            ],
        );
    });
});
