import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { type GuardTarget, guard } from '../../../platform/access/guard.ts';
import { BoundedMemory } from '../../../platform/access/guard-records.ts';
import type { AppError } from '../../../platform/errors.ts';
import { awaitRedis, openRedis } from '../../../platform/redis/redis.ts';
import { quiet, redisUrl } from '../../support/harness.ts';
import { newTarget, right, wrong } from './guard.fixture.ts';

/** Tries wrong passwords at once, on these guards in turn. Returns how many of the `tries` were checked. */
async function lookedAt(guards: Array<ReturnType<typeof guard>>, target: GuardTarget, tries: number): Promise<number> {
    const attempts = Array.from({ length: tries }, (_, index) => guards[index % guards.length]?.attempt(target, wrong));
    const outcomes = await Promise.allSettled(attempts);
    return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

describe('a process without Redis', () => {
    const absent = openRedis({ url: 'redis://127.0.0.1:1', log: quiet });
    after(() => absent.disconnect());
    const alone = () => guard({ redis: absent, shards: 4 });

    it('checks only ten of two hundred wrong passwords, and then makes the right one wait too', async () => {
        const [target, guarded] = [newTarget(), alone()];
        assert.equal(await lookedAt([guarded], target, 200), 10);
        await assert.rejects(guarded.attempt(target, right), (error: AppError) => {
            return error.kind === 'rate_limited' && error.retry_after === 1;
        });
        assert.equal(await guarded.attempt({ ...target, address: '192.0.2.2' }, right), 'opened');
    });

    it('checks at most ten wrong passwords of its own, in addition to those of other processes', async () => {
        const target = newTarget();
        assert.equal(await lookedAt([alone(), alone(), alone()], target, 300), 30);
    });

    it('serves concurrent right passwords', async () => {
        const [target, guarded] = [newTarget(), alone()];
        const answers = await Promise.all(Array.from({ length: 100 }, () => guarded.attempt(target, right)));
        assert.ok(answers.every((answer) => answer === 'opened'));
    });

    it('keeps at most a hundred thousand counts, and always those that were written last', async () => {
        const memory = new BoundedMemory({ points: 0, duration: 60 });
        await memory.penalty('oldest');
        for (let key = 0; key < 100_000; key++) await memory.penalty(String(key));
        const { storage } = memory.dump();
        assert.ok(storage.length <= 100_000 && storage.length >= 50_000, `${storage.length} counts`);
        assert.deepEqual([await memory.get('oldest'), (await memory.get('99999'))?.consumedPoints], [null, 1]);
    });
});

/** A guard with a connection to Redis that a test can close, and open again. */
async function removable() {
    const redis = openRedis({ url: redisUrl, log: quiet });
    after(() => redis.disconnect());
    await awaitRedis(redis, 5_000);
    const leave = async () => {
        const ended = once(redis, 'end');
        redis.disconnect();
        await ended;
    };
    return { guarded: guard({ redis, shards: 4 }), leave, comeBack: () => redis.connect() };
}

describe('when Redis becomes unreachable', () => {
    it('an address that had succeeded before is served after a hundred failures from elsewhere', async () => {
        const { guarded, leave } = await removable();
        const target = newTarget();
        assert.equal(await guarded.attempt({ ...target, address: 'home' }, right), 'opened');
        await leave();
        let failures = 0;
        for (let address = 0; address < 11; address++) {
            failures += await lookedAt([guarded], { ...target, address: `unknown ${address}` }, 20);
        }
        assert.equal(failures, 100);
        await assert.rejects(guarded.attempt({ ...target, address: 'new' }, right), { kind: 'rate_limited' });
        assert.equal(await guarded.attempt({ ...target, address: 'home' }, right), 'opened');
    });

    it('and then reachable again, its counts apply again', async () => {
        const { guarded, leave, comeBack } = await removable();
        const target = newTarget();
        for (let failure = 0; failure < 7; failure++) await guarded.attempt(target, wrong);
        await leave();
        assert.equal(await lookedAt([guarded], target, 50), 10);
        await comeBack();
        assert.equal(await lookedAt([guarded], target, 50), 3);
    });
});
