import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../../client/src/client.ts';
import { retrying } from '../../../client/src/retry.ts';
import type { TimeLimit } from '../../../client/src/time-limit.ts';

describe('the wait before a retry', () => {
    /** The waits between this many attempts that all fail with the error. */
    async function waits(error: unknown, attempts: number, leftMs = 1e9): Promise<number[]> {
        const paused: number[] = [];
        const time: TimeLimit = {
            signal: new AbortController().signal,
            left: () => leftMs,
            pause: async (milliseconds) => void paused.push(milliseconds),
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

    it('does not begin if it would outlast the call', async () => {
        assert.deepEqual(await waits(refusedFor(42), 3, 42_000), []);
    });
});
