import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pickPort } from '../../../../deploy/local/ports.ts';
import type { AppError } from '../../../../platform/errors.ts';
import type { ReplicaAddress } from '../../../../platform/rpc/resolve.ts';
import {
    connectCounted,
    connectToNone,
    create,
    load,
    resolve,
    startReplica,
    until,
} from '../../../integration/rpc/rpc.fixture.ts';
import { testContext } from '../../../support/harness.ts';

/** A port on which nothing listens yet. */
async function freePort(): Promise<{ port: number; address: ReplicaAddress }> {
    const port = await pickPort();
    return { port, address: { target: `127.0.0.1:${port}`, host: '127.0.0.1' } };
}

const unavailable = ({ kind, retry_after }: AppError): boolean => kind === 'unavailable' && retry_after === 1;

describe('a service that is not running yet', () => {
    it('answers the calls that were made before it listened, small and large, safe to repeat or not', async (t) => {
        const { port, address } = await freePort();
        const { did, looks } = connectCounted(t, [address]);
        await until('the lookups reach their longest interval', () => looks() >= 6);
        const large = 'large '.repeat(50_000);
        const calls = Promise.all([create(did, 'small'), create(did, large), resolve(did, 'safe')]);
        const { ran } = await startReplica(t, { port });
        await calls;
        assert.deepEqual(ran.toSorted(), [large, 'safe', 'small']);
    });

    it('answers the calls that were made before any address of it was known', async (t) => {
        const addresses: ReplicaAddress[] = [];
        const { did } = connectCounted(t, addresses);
        const call = create(did, 'early');
        addresses.push((await startReplica(t)).address);
        assert.equal((await call).did, 'early');
    });

    it('has at most 8192 waiting calls: the next one is refused at once, and the others are answered', async (t) => {
        const { port, address } = await freePort();
        const { did } = connectCounted(t, [address]);
        const calls = Array.from({ length: 8_192 }, (_, index) => resolve(did, `call ${index}`));
        const answered = Promise.all(calls);
        await assert.rejects(resolve(did, 'x'), unavailable);
        const { ran } = await startReplica(t, { port });
        await answered;
        assert.equal(new Set(ran).size, calls.length);
    });
});

describe('a service that never starts', () => {
    it('is `unavailable` long before the deadline, and the error has its cause', async (t) => {
        const did = connectToNone(t, [(await freePort()).address]);
        const context = testContext({ deadline: performance.now() + 60_000 });
        await assert.rejects(create(did, 'x', context), (error: AppError) => {
            assert.match(String(error.cause), /ECONNREFUSED/);
            return unavailable(error);
        });
        assert.ok(context.deadline - performance.now() > 30_000);
    });

    it('is `unavailable` before the deadline of a call that has less time than the wait for a replica', async (t) => {
        const did = connectToNone(t, [(await freePort()).address]);
        const hurried = testContext({ deadline: performance.now() + 1_000 });
        // Timers that are due run in the order of their times, on a slow machine too.
        const passed = delay(1_000).then(() => assert.fail('the deadline has passed'));
        await assert.rejects(Promise.race([create(did, 'x', hurried), passed]), unavailable);
    });
});

describe('a service whose last replica stops while another one starts', () => {
    it('loses no call, safe to repeat or not, and runs none twice', async (t) => {
        const { port, address } = await freePort();
        const stopping = await startReplica(t);
        const { did, looks } = connectCounted(t, [stopping.address, address]);
        const running = load(t, (name) => create(did, name));
        await until('the first replica is called, and the lookups reach their longest interval', () => looks() >= 6);
        const coming = await startReplica(t, { port });
        await stopping.stop();
        await until('the other replica is called', () => coming.ran.length > 100);
        assert.deepEqual(await running.stop(), []);
        const ran = [...stopping.ran, ...coming.ran];
        assert.equal(new Set(ran).size, ran.length);
        assert.equal(ran.length, running.sent());
    });
});
