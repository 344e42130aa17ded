import assert from 'node:assert/strict';
import { it } from 'node:test';
import { within } from '../../../platform/within.ts';

const never = new Promise<string>(() => {});

it('work that ends in time settles as it does, and its timer is gone', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let lateCalls = 0;
    const late = (): string => `late ${++lateCalls}`;
    assert.equal(await within(1_000, Promise.resolve('done'), late), 'done');
    await assert.rejects(within(1_000, Promise.reject(new Error('failed')), late), /failed/);
    t.mock.timers.tick(1_000);
    assert.equal(lateCalls, 0);
});

it('work that takes too long settles as the caller says, and its later failure is no unhandled one', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const slow = Promise.withResolvers<string>();
    const settled = Promise.allSettled([
        within(1_000, never),
        within(1_000, never, () => 'instead'),
        within(1_000, slow.promise, () => {
            throw new Error('too late');
        }),
    ]);
    t.mock.timers.tick(1_000);
    const [none, instead, failed] = await settled;
    slow.reject(new Error('after its time'));
    assert.deepEqual(
        [none, instead],
        [undefined, 'instead'].map((value) => ({ status: 'fulfilled', value })),
    );
    assert.match(String(failed.status === 'rejected' && failed.reason), /too late/);
});
