import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, test } from 'node:test';
import { type GuardTarget, guard } from '../../../platform/access/guard.ts';
import { Cancellation } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { testRedis } from '../../support/harness.ts';
import { newTarget, right, wrong } from './guard.fixture.ts';

const SHARDS = 4;
const redis = await testRedis();
const build = () => guard({ redis, shards: SHARDS });
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
    return {
        tries: `${base}:tries:${address}`,
        wait: `${base}:wait:${address}`,
        total: `${base}:total`,
        known: `${base}:known`,
    };
};

/** Ends the wait, as if its time had passed. */
const letPass = (target: GuardTarget) => redis.del(keysOf(target).wait);

test('after ten free failures even the right password must wait, and the refusal says for how long', async () => {
    const target = newTarget();
    const { tried, refusal } = await failUntilRefused(target);
    assert.equal(tried, 10);
    assert.equal(refusal.detail, 'Limit of 10 requests per minute exceeded by wrong passwords. Try again in 1 second.');
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

test('a hundred concurrent guesses through two processes give no more than the ten free ones', async () => {
    const target = newTarget();
    const second = build();
    let guesses = 0;
    const guess = async () => {
        guesses++;
        await new Promise((resolve) => setImmediate(resolve));
        return undefined;
    };
    const outcomes = await Promise.allSettled(
        Array.from({ length: 100 }, (_, index) => (index % 2 ? first : second).attempt(target, guess)),
    );
    assert.equal(guesses, 10);
    assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 90);
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

test('concurrent right passwords through several processes are all served', async () => {
    const target = newTarget();
    const processes = [first, build(), build(), build()];
    const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) => processes[index % 4]?.attempt(target, right)),
    );
    assert.ok(answers.every((answer) => answer === 'opened'));
});

test('an attempt that waits for its turn is not started after its call was cancelled', async () => {
    const [target, cancellation] = [newTarget(), new Cancellation()];
    const verdict = Promise.withResolvers<undefined>();
    const held = first.attempt(target, () => verdict.promise);
    const cancelled = first.attempt({ ...target, cancellation }, () => assert.fail('was started'));
    cancellation.cancel();
    await assert.rejects(cancelled, { kind: 'cancelled' });
    verdict.resolve(undefined);
    await held;
});

test('at most a thousand attempts on one subject from one address wait for their turn', async () => {
    const [target, cancellation] = [newTarget(), new Cancellation()];
    const verdict = Promise.withResolvers<undefined>();
    const held = first.attempt(target, () => verdict.promise);
    const waiting = Array.from({ length: 1_000 }, () => first.attempt({ ...target, cancellation }, right));
    await assert.rejects(first.attempt(target, right), { kind: 'unavailable' });
    assert.equal(await first.attempt({ ...target, address: '192.0.2.2' }, right), 'opened');
    cancellation.cancel();
    assert.ok((await Promise.allSettled(waiting)).every(({ status }) => status === 'rejected'));
    verdict.resolve(undefined);
    await held;
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
    const { tries, wait, total, known } = keysOf(target);
    const days = async (key: string) => (await redis.pttl(key)) / 86_400_000;
    for (const key of [tries, total]) assert.ok((await days(key)) > 0.99 && (await days(key)) <= 1);
    assert.equal(await redis.exists(known), 0);
    await letPass(target);
    await first.attempt(target, right);
    assert.ok((await days(known)) > 89 && (await days(known)) <= 90);
    assert.equal(await redis.exists(tries, wait), 0);
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
        const guarded = build();
        const real = newTarget();
        await guarded.attempt(real, wrong);
        const run = `made-up-${randomUUID()}`;
        const unknown = () => ({ subject: `${run}:${randomUUID()}`, address: '192.0.2.1', unknown: true });
        const oldest = unknown();
        await guarded.attempt(oldest, wrong);
        for (let tried = 0; tried < MAX_KEYS / 2 + 500; tried += 500) {
            await Promise.all(Array.from({ length: 500 }, () => guarded.attempt(unknown(), wrong)));
        }
        const keys = await redis.keys(`guard:*:${run}:*`);
        assert.ok(keys.length <= MAX_KEYS && keys.length >= MAX_KEYS / 2, `${keys.length} keys`);
        assert.equal(await redis.exists(keysOf(oldest).total, keysOf(oldest).tries), 0);
        assert.equal(await redis.exists(keysOf(real).total), 1, 'a subject that exists is kept');
        const ends = await Promise.all(keys.map((key) => redis.pttl(key)));
        assert.ok(ends.every((end) => end > 0));
    });
});
