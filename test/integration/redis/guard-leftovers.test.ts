import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guard } from '../../../platform/access/guard.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { testRedis } from '../../support/harness.ts';
import { newTarget } from './guard.fixture.ts';

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
