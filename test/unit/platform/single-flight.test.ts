import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { singleFlight } from '../../../platform/single-flight.ts';

/** Looks that end when the test says so. */
function controlled() {
    const looks: Array<PromiseWithResolvers<void> & { asked_by: string }> = [];
    const ask = singleFlight((asked_by: string) => {
        const look = { ...Promise.withResolvers<void>(), asked_by };
        looks.push(look);
        return look.promise;
    }, 1_000);
    return { looks, ask };
}

describe('a shared look', () => {
    it('runs once for all who ask while it runs, and anew for who asks after it', async () => {
        const { looks, ask } = controlled();
        const answers = Array.from({ length: 100 }, (_, index) => ask(`caller ${index}`));
        assert.deepEqual(
            looks.map(({ asked_by }) => asked_by),
            ['caller 0'],
        );
        looks[0]?.resolve();
        await Promise.all(answers);
        const after = ask('after');
        assert.equal(looks[1]?.asked_by, 'after');
        looks[1].reject(new Error('away'));
        await assert.rejects(after, /away/);
    });

    it('has failed when it takes too long, for all who wait for it, and keeps nobody from looking anew', async (t) => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        const { looks, ask } = controlled();
        const answers = [ask('first'), ask('second')];
        t.mock.timers.tick(1_000);
        for (const answer of answers) await assert.rejects(answer, /no answer within 1000 ms/);
        const third = ask('third');
        looks[1]?.resolve();
        await third;
        assert.equal(looks.length, 2);
    });
});
