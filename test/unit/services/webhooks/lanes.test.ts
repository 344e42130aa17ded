import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LanesDependencies, startLanes } from '../../../../services/webhooks/delivery/lanes.ts';
import { until } from '../../../support/until.ts';

/** Lanes on a store that leases what `offered` has, and in which reading an webhook waits for `read`. */
function lanesOn(offered: string[][], read: Promise<undefined>) {
    const calls = { lease: 0, read: 0, release: 0 };
    const store = {
        async lease() {
            calls.lease++;
            return offered.shift() ?? [];
        },
        read() {
            calls.read++;
            return read;
        },
        async release() {
            calls.release++;
            return true;
        },
        extend: async (ids: readonly string[]) => [...ids],
    };
    const log = { error: (_: object, fault: string) => assert.fail(fault) };
    const deps = { store, log, clock: Date.now, sender: { close: async () => {} } };
    return { calls, lanes: startLanes(deps as unknown as LanesDependencies) }; // an webhook that is gone needs no more
}

test('an webhook whose lease has ended and begun again has no second lane before the first one has ended', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const offered = [['a'], ['a']];
    const { calls, lanes } = lanesOn(offered, promise);
    await until('it was leased twice', () => calls.lease > 2);
    assert.deepEqual({ ...calls, lease: 0 }, { lease: 0, read: 1, release: 0 });
    resolve(undefined);
    await until('the lane has ended', () => calls.release === 1);
    offered.push(['a']);
    await until('it has a lane again', () => calls.read === 2);
    await lanes.stop();
    assert.equal(calls.release, 2);
});
