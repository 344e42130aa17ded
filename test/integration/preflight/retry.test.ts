import assert from 'node:assert/strict';
import { it } from 'node:test';
import { retry } from '../../../platform/preflight/retry.ts';
import { recordingLog } from '../../support/harness.ts';

it('an attempt is repeated until it succeeds, and each reason to wait is logged once, without a stack', async () => {
    const { log, lines } = recordingLog();
    const failures = ['closed', 'closed', 'full'];
    const attempt = async () => {
        const failure = failures.shift();
        if (failure !== undefined) throw new Error(failure);
    };
    await retry(attempt, { log, giveUp() {} });
    assert.deepEqual(
        lines.map(({ msg, reason, err }) => [msg, reason, err]),
        [
            ['waiting for the database', 'closed', undefined],
            ['waiting for the database', 'full', undefined],
        ],
    );
});

it('an attempt is not repeated if waiting does not help', async () => {
    const { log, lines } = recordingLog();
    const final = new Error('no right');
    const giveUp = (failure: unknown) => {
        throw failure;
    };
    await assert.rejects(
        retry(async () => Promise.reject(final), { log, giveUp }),
        final,
    );
    assert.deepEqual(lines, []);
});
