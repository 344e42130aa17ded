import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, ConnectionError } from '../../../client/src/client.ts';
import { retrying } from '../../../client/src/retry.ts';
import type { TimeLimit } from '../../../client/src/time-limit.ts';

describe('the wait before a retry', () => {
    /** The waits between this many attempts that all fail with the error. */
    async function waits(error: unknown, attempts: number | undefined, leftMs = 1e9): Promise<number[]> {
        const paused: number[] = [];
        let left = leftMs;
        const time: TimeLimit = {
            signal: new AbortController().signal,
            left: () => left,
            async pause(milliseconds) {
                paused.push(milliseconds);
                if (attempts === undefined) left -= milliseconds;
            },
            close() {},
        };
        await assert.rejects(
            retrying(() => Promise.reject(error), { tries: attempts, idempotent: true, time }),
            (thrown) => thrown === error,
        );
        return paused;
    }
    const refusedFor = (retryAfter: number | undefined) =>
        new ApiError({
            status: 429,
            code: 'rate_limited',
            summary: '',
            detail: '',
            request_id: '',
            retry_after: retryAfter,
        });

    it('is random, and its bound doubles up to ten seconds', async (t) => {
        t.mock.method(Math, 'random', () => 1);
        assert.deepEqual(
            await waits(refusedFor(undefined), 10),
            [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000],
        );
        t.mock.method(Math, 'random', () => 0.5);
        assert.deepEqual(await waits(refusedFor(undefined), 4), [50, 100, 200]);
    });

    it('is never shorter than the service asks for', async (t) => {
        t.mock.method(Math, 'random', () => 0);
        assert.deepEqual(await waits(refusedFor(42), 3), [42_000, 42_000]);
    });

    it('is repeated until the time is up while the service cannot be reached, and less often otherwise', async (t) => {
        t.mock.method(Math, 'random', () => 1);
        const away = new ConnectionError('away', { never_sent: true });
        const knocked = await waits(away, undefined, 30_000);
        const total = knocked.reduce((sum, wait) => sum + wait, 0);
        assert.deepEqual(knocked.slice(0, 7), [100, 200, 400, 800, 1_600, 3_200, 6_400]);
        assert.ok(total > 29_800 && total < 30_000, String(total));
        assert.ok(knocked.length < 20);
        assert.deepEqual(await waits(away, 3), [100, 200]);
        const lost = new ConnectionError('lost', { never_sent: false });
        assert.deepEqual(await waits(lost, undefined, 30_000), [100, 200, 400]);
        assert.deepEqual(await waits(refusedFor(undefined), undefined, 30_000), [100, 200, 400]);
    });

    it('does not begin if it would outlast the call', async () => {
        assert.deepEqual(await waits(refusedFor(42), 3, 42_000), []);
    });
});
