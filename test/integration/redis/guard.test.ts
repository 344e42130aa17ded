import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type GuardTarget, guard } from '../../../platform/access/guard.ts';
import { sharedSteps } from '../../../platform/access/guard-steps.ts';
import { AppError } from '../../../platform/errors.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { quiet, testRedis } from '../../support/harness.ts';
import { newTarget, right, wrong } from './guard.fixture.ts';

const SHARDS = 4;
const redis = await testRedis();
const build = () => guard({ redis, shards: SHARDS, log: quiet });
const first = build();

/** Tries wrong passwords until one is refused. Returns how many were allowed, and the refusal. */
async function failUntilRefused(target: GuardTarget, guarded = first): Promise<{ tried: number; refusal: AppError }> {
    for (let tried = 0; tried < 1_000; tried++) {
        try {
            assert.equal(await guarded.attempt(target, wrong), undefined);
        } catch (error) {
            assert.ok(error instanceof AppError && error.kind === 'rate_limited');
            return { tried, refusal: error };
        }
    }
    return assert.fail('never refused');
}

const keysOf = ({ subject, address }: GuardTarget) => {
    const base = `guard:${shardTag(subject, SHARDS)}:${subject}`;
    return { from: `${base}:from:${address}`, total: `${base}:total`, known: `${base}:known` };
};

/** Ends the wait, as if its time had passed. */
const letPass = (target: GuardTarget) => redis.hdel(keysOf(target).from, 'until');

test('after ten free failures even the right password must wait, and the refusal says for how long', async () => {
    const target = newTarget();
    const { tried, refusal } = await failUntilRefused(target);
    assert.equal(tried, 10);
    assert.equal(
        refusal.detail,
        'Limit of 10 requests per minute exceeded by wrong passwords. Try again in 1 seconds.',
    );
    assert.equal(refusal.retry_after, 1);
    await assert.rejects(first.attempt(target, right), /exceeded by wrong passwords/);
});

test('the wait doubles with each further failure, up to fifteen minutes', async () => {
    const target = newTarget();
    await failUntilRefused(target);
    const waits = [];
    for (let failure = 0; failure < 12; failure++) {
        await letPass(target);
        const { tried, refusal } = await failUntilRefused(target);
        assert.equal(tried, 1);
        waits.push(refusal.retry_after);
    }
    assert.deepEqual(waits, [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
});

test('a success after the wait clears the failures of its address', async () => {
    const target = newTarget();
    await failUntilRefused(target);
    await letPass(target);
    assert.equal(await first.attempt(target, right), 'opened');
    assert.equal((await failUntilRefused(target)).tried, 10);
});

test('failures from one address delay neither other addresses nor other subjects', async () => {
    const target = newTarget();
    await failUntilRefused(target);
    assert.equal(await first.attempt({ ...target, address: '192.0.2.2' }, right), 'opened');
    assert.equal(await first.attempt({ ...newTarget(), address: target.address }, right), 'opened');
});

test('after a hundred failures from any addresses only addresses that have succeeded before are served', async () => {
    const target = newTarget();
    await first.attempt({ ...target, address: 'home' }, right);
    let failures = 0;
    for (let address = 0; address < 11; address++) {
        failures += (await failUntilRefused({ ...target, address: `unknown ${address}` })).tried;
    }
    assert.equal(failures, 100);
    await assert.rejects(first.attempt({ ...target, address: 'new' }, right), (error: AppError) => {
        return error.kind === 'rate_limited' && (error.retry_after ?? 0) > 86_000;
    });
    assert.equal(await first.attempt({ ...target, address: 'home' }, right), 'opened');
});

test('five hundred concurrent guesses through two processes give no more than the ten free ones', async () => {
    const target = newTarget();
    const second = build();
    let guesses = 0;
    const guess = async () => {
        guesses++;
        await new Promise((resolve) => setImmediate(resolve));
        return undefined;
    };
    const outcomes = await Promise.allSettled(
        Array.from({ length: 500 }, (_, index) => (index % 2 ? first : second).attempt(target, guess)),
    );
    assert.equal(guesses, 10);
    assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 490);
});

test('two hundred concurrent guesses from as many addresses give no more than the hundred of a day', async () => {
    const target = newTarget();
    let guesses = 0;
    const guess = async () => {
        guesses++;
        return undefined;
    };
    await Promise.allSettled(
        Array.from({ length: 200 }, (_, index) => first.attempt({ ...target, address: String(index) }, guess)),
    );
    assert.equal(guesses, 100);
});

test('concurrent right passwords through several processes are all served, also after some failures', async () => {
    const target = newTarget();
    for (let failure = 0; failure < 8; failure++) await first.attempt(target, wrong);
    const processes = [first, build(), build(), build()];
    const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) => processes[index % 4]?.attempt(target, right)),
    );
    assert.ok(answers.every((answer) => answer === 'opened'));
});

test('one process runs at most ten attempts on one subject from one address at a time', async () => {
    const target = newTarget();
    let atOnce = 0;
    let most = 0;
    const open = async () => {
        most = Math.max(most, ++atOnce);
        for (let trip = 0; trip < 5; trip++) await redis.ping();
        atOnce--;
        return 'opened';
    };
    const answers = await Promise.all(Array.from({ length: 200 }, () => first.attempt(target, open)));
    assert.ok(answers.every((answer) => answer === 'opened'));
    assert.equal(most, 10);
});

test('failures that are in progress when a success clears the record still count', async () => {
    const target = newTarget();
    const verdict = Promise.withResolvers<undefined>();
    const failing = Array.from({ length: 3 }, () => first.attempt(target, () => verdict.promise));
    await first.attempt(target, right);
    verdict.resolve(undefined);
    await Promise.all(failing);
    assert.equal((await failUntilRefused(target)).tried, 7);
});

test('an attempt that ends without a verdict is not counted', async () => {
    const target = newTarget();
    const broken = () => Promise.reject(new Error('no thread'));
    for (let attempt = 0; attempt < 20; attempt++) await assert.rejects(first.attempt(target, broken), /no thread/);
    assert.equal((await failUntilRefused(target)).tried, 10);
    await letPass(target);
    await assert.rejects(first.attempt(target, broken), /no thread/);
    await first.attempt(target, wrong);
    assert.equal((await failUntilRefused(target)).refusal.retry_after, 2);
    assert.equal(await redis.get(keysOf(target).total), '11');
});

test('the records of failures expire within a day, and the record of successes within ninety days', async () => {
    const target = newTarget();
    await failUntilRefused(target);
    const { from, total, known } = keysOf(target);
    const days = async (key: string) => (await redis.pttl(key)) / 86_400_000;
    for (const key of [from, total]) assert.ok((await days(key)) > 0.99 && (await days(key)) <= 1);
    assert.equal(await redis.exists(known), 0);
    await letPass(target);
    await first.attempt(target, right);
    assert.ok((await days(known)) > 89 && (await days(known)) <= 90);
    assert.equal(await redis.exists(from), 0);
});

test('the guard remembers the latest thousand addresses that have succeeded on a subject', async () => {
    const target = newTarget();
    const { known } = keysOf(target);
    for (let address = 0; address < 1_001; address++) {
        await first.attempt({ ...target, address: String(address) }, right);
    }
    assert.equal(await redis.zcard(known), 1_000);
    assert.deepEqual([await redis.zscore(known, '0'), Boolean(await redis.zscore(known, '1000'))], [null, true]);
});

describe('an unknown subject', () => {
    it('is refused like any other', async () => {
        const target = { ...newTarget(), unknown: true };
        const { tried, refusal } = await failUntilRefused(target);
        assert.deepEqual([tried, refusal.retry_after], [10, 1]);
    });

    it('has only keys that expire, and the oldest make room for new ones: the number of keys is bounded', async () => {
        const MAX_KEYS = 20_000;
        const run = sharedSteps(redis, 1);
        const known = { ...newTarget(), address: 'a' };
        await run(known, 'begin');
        const unknown = () => ({ subject: `made-up:${randomUUID()}`, address: randomUUID(), unknown: true });
        const oldest = unknown();
        await run(oldest, 'begin');
        // Keys of the same millisecond are removed in the order of their names.
        await setTimeout(2);
        for (let tried = 0; tried < MAX_KEYS / 2; tried += 500) {
            await Promise.all(Array.from({ length: 500 }, () => run(unknown(), 'begin')));
        }
        const keys = await redis.keys('guard:{0}:made-up:*');
        assert.equal(keys.length, MAX_KEYS);
        assert.equal(await redis.exists(`guard:{0}:${oldest.subject}:total`), 0);
        assert.equal(await redis.exists(`guard:{0}:${known.subject}:total`), 1, 'a subject that exists is kept');
        const ends = await Promise.all([...keys, 'guard:{0}:unknown'].map((key) => redis.pttl(key)));
        assert.ok(ends.every((end) => end > 0));
    });
});
