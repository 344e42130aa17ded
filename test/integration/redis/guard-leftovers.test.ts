import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guard } from '../../../platform/access/guard.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { testRedis } from '../../support/harness.ts';
import { newTarget, right, wrong } from './guard.fixture.ts';

const SHARDS = 4;
const redis = await testRedis();
const guarded = guard({ redis, shards: SHARDS });

test('an attempt that gave no result leaves no failure', async () => {
    const target = newTarget();
    await assert.rejects(
        guarded.attempt(target, async () => {
            throw new Error('the check failed');
        }),
    );
    const base = `guard:${shardTag(target.subject, SHARDS)}:${target.subject}`;
    assert.equal(Number(await redis.get(`${base}:tries:${target.address}`)), 0);
    assert.equal(Number(await redis.get(`${base}:total`)), 0);
});

test('nothing is left about a subject that is forgotten, neither of right nor of wrong passwords', async () => {
    const [target, other] = [newTarget(), newTarget()];
    for (const address of ['192.0.2.7', '192.0.2.8', '192.0.2.9']) {
        for (let attempt = 0; attempt < 10; attempt++) await guarded.attempt({ ...target, address }, wrong);
        await guarded.attempt({ ...other, address }, wrong);
    }
    await guarded.attempt(target, right);
    const keysOf = ({ subject }: typeof target) => redis.keys(`*${subject}*`);
    assert.ok((await keysOf(target)).length >= 9);
    await guarded.forget([target.subject]);
    assert.deepEqual(await keysOf(target), []);
    assert.equal((await keysOf(other)).length, 5); // three counts, their sum, and the addresses
});
