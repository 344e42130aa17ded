import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../platform/errors.ts';
import { singleFlight } from '../../../platform/single-flight.ts';

/** A single flight whose runs end when the test ends them. */
function controlled() {
    const looks: Array<PromiseWithResolvers<void> & { askedBy: string }> = [];
    const ask = singleFlight(
        (askedBy: string) => {
            const look = { ...Promise.withResolvers<void>(), askedBy };
            looks.push(look);
            return look.promise;
        },
        'thing',
        1_000,
    );
    return { looks, ask };
}

describe('a single flight', () => {
    it('runs once for all callers while it runs, and again for a later caller', async () => {
        const { looks, ask } = controlled();
        const answers = Array.from({ length: 100 }, (_, index) => ask(`caller ${index}`));
        assert.deepEqual(
            looks.map(({ askedBy }) => askedBy),
            ['caller 0'],
        );
        looks[0]?.resolve();
        await Promise.all(answers);
        const after = ask('after');
        assert.equal(looks[1]?.askedBy, 'after');
        looks[1].reject(new Error('away'));
        await assert.rejects(after, /away/);
    });

    it('fails for all waiting callers when it takes too long, and does not block the next run', async (t) => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        const { looks, ask } = controlled();
        const answers = [ask('first'), ask('second')];
        t.mock.timers.tick(1_000);
        for (const answer of answers) {
            await assert.rejects(answer, (error) => {
                assert.ok(error instanceof AppError);
                const { kind, reason, retry_after, cause } = error;
                assert.deepEqual(
                    [kind, reason, retry_after, String(cause)],
                    ['unavailable', 'thing', 1, 'Error: no answer within 1000 ms'],
                );
                return true;
            });
        }
        const third = ask('third');
        looks[1]?.resolve();
        await third;
        assert.equal(looks.length, 2);
    });
});
