import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LanesDependencies, startLanes } from '../../../../services/webhooks/delivery/lanes.ts';
import { slots } from '../../../../services/webhooks/delivery/slots.ts';
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

/** Lanes with one webhook, whose deliveries hang. The database answers a question for its lease only when a test says so. */
function hangingLane() {
    const sent = Promise.withResolvers<AbortSignal>();
    const over = Promise.withResolvers<void>();
    const asked: ((ids: readonly string[]) => void)[] = [];
    const offered = [['a']];
    const webhook = { id: 'a', account: 'one', url: 'https://shop.example/', types: [], cursor: 0, behind: false };
    const unused = { failures: 0, not_before: null, wakes: 0, replay_after: null };
    const store = {
        lease: async () => offered.shift() ?? [],
        extend: () => new Promise((resolve) => asked.push(resolve)),
        read: async () => ({ ...webhook, ...unused }),
        waiting: async () => 0,
        due: async () => [{ id: 'd', event_id: 'e', type: 't', body: '{}', attempts: 0, began_at: null }],
        release: async () => over.resolve(),
    };
    const deps = {
        store,
        events: { listEvents: async () => ({ events: [], next: 0 }) },
        signing: { signWebhook: async () => ({ signatures: [] }) },
        sender: {
            send(_delivery: unknown, signal: AbortSignal) {
                sent.resolve(signal);
                return new Promise((resolve) => {
                    signal.addEventListener('abort', () => resolve({ kind: 'failed', reason: 'It was broken off.' }));
                });
            },
            close: async () => {},
        },
        slots: slots(),
        log: { error: (_: object, fault: string) => assert.fail(fault) },
        clock: Date.now,
    };
    const lanes = startLanes(deps as unknown as LanesDependencies); // what has no part in this is left out
    return { asked, sent: sent.promise, over: over.promise, stop: () => lanes.stop() };
}

test('a lane is broken off before its lease can have ended if the database does not say that it is extended', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { asked, sent, over, stop } = hangingLane();
    const signal = await sent;
    t.mock.timers.tick(10_000);
    await until('the process asks for the extension', () => asked.length === 1);
    asked[0]?.(['a']);
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(10_000);
    assert.ok(!signal.aborted, 'the lease was extended');
    t.mock.timers.tick(3_000);
    assert.ok(signal.aborted);
    await over;
    await stop();
});
