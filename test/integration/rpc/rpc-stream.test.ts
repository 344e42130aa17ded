import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { Client, credentials, Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import type { AppError } from '../../../platform/errors.ts';
import { encode } from '../../../platform/rpc/frames/encode.ts';
import { writeFrame } from '../../../platform/rpc/frames/frames.ts';
import { ResolveRequest } from '../../../proto/gen/did/v1/did.ts';
import type { Call, Frame } from '../../../proto/gen/rpc/v1/frames.ts';
import { testContext } from '../../support/harness.ts';
import { connectTo, create, resolve, startFrameServer, startReplica, TOKEN, until } from './rpc.fixture.ts';

const RESOLVE = '/did.v1.DidService/Resolve';
const OTHER = 'the token of another service';
const OTHERS = { token_sha256: hash('sha256', OTHER), methods: [RESOLVE], trusted: false, max_in_flight: 2 };
const isCancelled = ({ kind }: AppError): boolean => kind === 'cancelled';

describe('a caller that gives up', () => {
    it('is answered at once, and its call is cancelled on the server', async (t) => {
        const replica = await startReplica(t);
        const did = connectTo(t, [replica.address]);
        const context = testContext();
        const givenUp = assert.rejects(resolve(did, 'held', context), isCancelled);
        await until('it is under way', () => replica.contexts.has('held'));
        const seen = replica.contexts.get('held') ?? assert.fail();
        context.cancellation.cancel();
        await givenUp;
        await until('the server sees the cancellation', () => seen.cancellation.isCancelled);
        assert.equal((await resolve(did, 'another')).did, 'another');
    });

    for (const [who, token] of [
        ['this service', TOKEN],
        ['another service', OTHER],
    ] as const) {
        it(`cancels a plain gRPC call on the server too, if it is a process of ${who}`, async (t) => {
            const replica = await startReplica(t, { serviceCallers: { other: OTHERS } });
            const grpc = new Client(replica.address.target, credentials.createInsecure());
            t.after(() => grpc.close());
            const metadata = new Metadata();
            metadata.set('authorization', `Bearer ${token}`);
            const same = (bytes: Buffer): Buffer => bytes;
            const request = encode(ResolveRequest, { did: 'held', derive: false });
            const call = grpc.makeUnaryRequest(RESOLVE, same, same, Buffer.from(request), metadata, () => {});
            await until('it is under way', () => replica.contexts.has('held'));
            const seen = replica.contexts.get('held') ?? assert.fail();
            call.cancel();
            await until('the server sees the cancellation', () => seen.cancellation.isCancelled);
        });
    }

    it('sends nothing if the stream is not open yet', async (t) => {
        let frames = 0;
        let heard: (() => void) | undefined;
        const { address } = await startFrameServer(t, (stream) => {
            stream.on('data', () => frames++).on('error', () => {});
            heard = () => stream.sendMetadata(new Metadata());
        });
        const did = connectTo(t, [address]);
        const context = testContext();
        const givenUp = assert.rejects(resolve(did, 'x', context), isCancelled);
        await until('the stream has arrived', () => heard !== undefined);
        context.cancellation.cancel();
        await givenUp;
        heard?.();
        void resolve(did, 'y').catch(() => {});
        await until('the next call has come', () => frames > 0);
        assert.equal(frames, 1);
    });
});

/** Starts a server that accepts only the first call of its first stream, and says so when it is told to stop. */
async function startStopping(t: TestContext) {
    const calls: Call[] = [];
    let first: ServerDuplexStream<Frame, Frame> | undefined;
    const { address } = await startFrameServer(t, (stream) => {
        first ??= stream;
        stream.sendMetadata(new Metadata());
        stream.on('error', () => {});
        stream.on('data', (frame: Frame) => calls.push(...frame.calls));
    });
    return {
        address,
        arrived: () => calls.length,
        async stop() {
            const [stream, taken] = [first ?? assert.fail(), calls[0] ?? assert.fail()];
            await writeFrame(stream, { draining: true, last_call: taken.id });
            await writeFrame(stream, { replies: [{ id: taken.id, response: taken.request }] });
            stream.end();
        },
    };
}

describe('a server that is about to stop', () => {
    it('answers the calls that it has accepted; others go to another replica, safe to repeat or not', async (t) => {
        const stopping = await startStopping(t);
        const staying = await startReplica(t);
        const addresses = [stopping.address];
        const did = connectTo(t, addresses);
        const names = ['one', 'two', 'three', 'four', 'five'];
        const calls = names.map((name) => create(did, name));
        await until('they have arrived', () => stopping.arrived() === names.length);
        addresses.push(staying.address);
        const probes: Array<Promise<unknown>> = [];
        await until('the other replica is called', () => {
            probes.push(resolve(did, 'probe'));
            return staying.contexts.has('probe');
        });
        await stopping.stop();
        await Promise.all([...calls, ...probes]);
        const created = staying.ran.filter((name) => name !== 'probe');
        assert.deepEqual(created.toSorted(), names.slice(1).toSorted());
    });
});
