import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextAttempt, notBefore, verdictOf } from '../../../../services/webhooks/delivery/schedule.ts';

const BEGAN = Date.UTC(2026, 10, 20);
const answered = (status: number, retryAfterMs?: number) => verdictOf({ kind: 'answered', status, retryAfterMs });

describe('the schedule of a delivery', () => {
    it('is 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after the first attempt, and then over', () => {
        const times = Array.from({ length: 10 }, (_, index) => {
            const now = BEGAN + (index === 0 ? 0 : 1_000);
            return nextAttempt({ attempts: index + 1, beganAt: BEGAN, waitMs: 0 }, now);
        });
        const seconds = times.map((time) => time && (time - BEGAN) / 1_000);
        const hours = [2, 5, 10, 14, 20, 24].map((hour) => hour * 3_600);
        assert.deepEqual(seconds, [5, 300, 1_800, ...hours, undefined]);
    });

    it('is late, but has no two attempts at once, if the process was away', () => {
        const now = BEGAN + 3_600_000;
        assert.equal(nextAttempt({ attempts: 1, beganAt: BEGAN, waitMs: 0 }, now), now + 5_000);
    });

    it('waits as long as the webhook asks, up to an hour', () => {
        const { waitMs } = answered(503, 7_200_000);
        assert.equal(waitMs, 3_600_000);
        assert.equal(nextAttempt({ attempts: 1, beganAt: BEGAN, waitMs }, BEGAN), BEGAN + 3_600_000);
        assert.equal(answered(503, 90_000).waitMs, 90_000);
    });
});

describe('an answer', () => {
    it('of 2xx is a success, 410 ends the webhook, and all others are failures', () => {
        for (const status of [200, 204, 299]) assert.equal(answered(status).kind, 'delivered');
        for (const status of [300, 301, 308, 400, 401, 404, 429, 500, 503]) {
            assert.equal(answered(status).kind, 'rejected');
            assert.ok(answered(status).reason);
        }
        assert.equal(answered(410).kind, 'gone');
        assert.equal(verdictOf({ kind: 'failed', reason: 'No answer.' }).kind, 'unreachable');
        assert.equal(verdictOf({ kind: 'refused', reason: 'Not public.' }).kind, 'refused');
    });

    it('of 429, 502 or 504 slows the webhook down, also if it does not say how long', () => {
        for (const status of [429, 502, 504]) assert.equal(answered(status).waitMs, 5_000);
        assert.equal(answered(429, 60_000).waitMs, 60_000);
        assert.equal(answered(500).waitMs, 0);
    });
});

describe('an webhook that fails', () => {
    it('waits twice as long after each failure, up to a minute', () => {
        const waits = Array.from({ length: 9 }, (_, index) => notBefore({ failures: index + 1, waitMs: 0 }, 0) / 1_000);
        assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert.equal(notBefore({ failures: 1, waitMs: 3_600_000 }, 0), 3_600_000);
    });
});
