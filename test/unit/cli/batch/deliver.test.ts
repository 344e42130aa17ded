import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answered, deliver, TooManyItems } from '../../../../cli/src/batch/deliver.ts';
import { CliError, EXIT } from '../../../../cli/src/errors.ts';
import { ApiError, ConnectionError } from '../../../../client/src/client.ts';

const DONE: Answered[] = [{ ok: true }, { ok: false, code: 'invalid' }];

function refusal(status: number, detail = '', retryAfter?: number): ApiError {
    return new ApiError({
        status,
        code: undefined,
        summary: 'x',
        detail,
        request_id: undefined,
        retry_after: retryAfter,
    });
}

/** Delivers a request that is answered like this, one answer after the other. Waits take no time. */
async function delivered(answers: Array<Answered[] | Error>) {
    const waits: number[] = [];
    let calls = 0;
    const send = async () => {
        const answer = answers[calls++];
        if (answer === undefined) throw new Error('sent too often');
        if (answer instanceof Error) throw answer;
        return answer;
    };
    const pause = async (seconds: number) => void waits.push(seconds);
    const results = await deliver(send, pause).catch((error: Error) => error);
    return { results, waits, calls };
}

describe('a request of a batch', () => {
    it('waits as long as the rate limit asks', async () => {
        const refusals = Array.from({ length: 9 }, () => refusal(429, '', 42));
        const { results, waits } = await delivered([...refusals, refusal(503), DONE]);
        assert.equal(results, DONE);
        assert.deepEqual(waits, [...refusals.map(() => 42), 1]);
    });

    it('waits for the rate limit at most a quarter of an hour at a time, and 30 times', async () => {
        const endless = Array.from({ length: 40 }, () => refusal(429, '', 86_400));
        const { results, waits, calls } = await delivered(endless);
        assert.deepEqual([waits, calls], [Array(30).fill(900), 31]);
        assert.ok(results instanceof CliError);
        assert.equal(results.exitCode, EXIT.service);
        assert.match(
            results.message,
            /refused the same request 31 times, .* Run the same command again later: with --out/,
        );
    });

    it('waits for a second at least', async () => {
        assert.deepEqual((await delivered([refusal(429, '', 0), DONE])).waits, [1]);
    });

    it('is sent again while the service fails or has no time for an item, but not for ever', async () => {
        const late: Answered[] = [{ ok: true }, { ok: false, code: 'deadline' }];
        const lost = new ConnectionError('lost', { never_sent: false });
        const passing = await delivered([lost, refusal(503), late, DONE]);
        assert.equal(passing.results, DONE);
        assert.deepEqual(passing.waits, [1, 2, 4]);
    });

    it('is given up after six failures', async () => {
        const lost = new ConnectionError('lost', { never_sent: false });
        const { results, calls } = await delivered(Array.from({ length: 10 }, () => lost));
        assert.deepEqual({ results, calls }, { results: lost, calls: 6 });
    });

    it('is not sent again if it is refused', async () => {
        const refused = await delivered([refusal(422, 'used for another request')]);
        assert.equal((refused.results as ApiError).status, 422);
        assert.equal(refused.calls, 1);
    });

    it('tells how many items the caller may send', async () => {
        const { results } = await delivered([refusal(400, 'A key of this tier may send 10 items at once.')]);
        assert.ok(results instanceof TooManyItems);
        assert.equal(results.limit, 10);
    });
});
