import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
    Client,
    type ClientDuplexStream,
    credentials,
    Metadata,
    type ServerDuplexStream,
    type ServiceError,
    status,
} from '@grpc/grpc-js';
import type { CallContext } from '../../../platform/context.ts';
import type { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { queueStats } from '../../../platform/queue-stats.ts';
import { encode } from '../../../platform/rpc/frames/encode.ts';
import { FRAME_METHOD, writeFrame } from '../../../platform/rpc/frames/frames.ts';
import type { ReplicaAddress } from '../../../platform/rpc/resolve.ts';
import { CreateRequest, ResolveRequest } from '../../../proto/gen/did/v1/did.ts';
import type { Call, Frame } from '../../../proto/gen/rpc/v1/frames.ts';
import { testContext } from '../../support/harness.ts';
import { connectTo, create, resolve, startFrameServer, startReplica, TOKEN, until } from './rpc.fixture.ts';

const atCapacity = ({ kind, retry_after }: AppError): boolean => kind === 'unavailable' && retry_after === 1;
const isCancelled = ({ kind }: AppError): boolean => kind === 'cancelled';
const quarterMib = '.'.repeat((256 << 10) - 16);
const [calls, replies] = [queueStats('rpc_calls'), queueStats('rpc_replies')];

/** Starts a server that opens streams and never reads from them, and a client with an open stream to it. */
async function startUnread(t: TestContext) {
    const { address, kill } = await startFrameServer(t, (stream) => {
        stream.on('error', () => {});
        stream.sendMetadata(new Metadata());
    });
    const did = connectTo(t, [address]);
    const { items } = calls;
    const context = testContext();
    const givenUp = assert.rejects(resolve(did, 'first', context), isCancelled);
    await until('the stream is open', () => calls.items > items);
    context.cancellation.cancel();
    await givenUp;
    return { did, kill };
}

/** Clients whose calls are never read. */
const SILENT = {
    'while no stream is open': async (t: TestContext) => {
        const { address } = await startFrameServer(t, (stream) => stream.on('error', () => {}));
        return connectTo(t, [address]);
    },
    'on a stream that is not read': async (t: TestContext) => (await startUnread(t)).did,
};

describe('the calls in progress', () => {
    it('are at most 8192: the next one is refused at once, and the others are answered', async (t) => {
        const replica = await startReplica(t);
        const did = connectTo(t, [replica.address]);
        const context = testContext({ deadline: performance.now() + 60_000 }); // long enough for so many calls
        const waiting = Array.from({ length: 8_192 }, (_, index) => resolve(did, `held ${index}`, context));
        await until('all are under way', () => replica.ran.length === waiting.length);
        await assert.rejects(resolve(did, 'x'), atCapacity);
        assert.ok(!replica.ran.includes('x'));
        replica.release();
        await Promise.all(waiting);
        assert.equal((await resolve(did, 'x')).did, 'x');
    });

    for (const [where, connectSilent] of Object.entries(SILENT)) {
        it(`have at most 64 MiB ${where}: a call that would exceed it is refused at once`, async (t) => {
            const did = await connectSilent(t);
            const context = testContext();
            const waiting = Array.from({ length: 256 }, () =>
                assert.rejects(create(did, quarterMib, context), isCancelled),
            );
            await assert.rejects(create(did, quarterMib), atCapacity);
            const small = assert.rejects(create(did, 'small', context), isCancelled);
            context.cancellation.cancel();
            await Promise.all([...waiting, small]);
            const later = testContext();
            const again = assert.rejects(create(did, quarterMib, later), isCancelled); // there is room again
            later.cancellation.cancel();
            await again;
        });
    }

    it('leave their queue when they are cancelled', async (t) => {
        const { did } = await startUnread(t);
        const { waiting } = calls;
        for (let round = 0; round < 3; round++) {
            const context = testContext();
            const givenUp = Array.from({ length: 4_096 }, () => assert.rejects(create(did, 'x', context), isCancelled));
            assert.ok(calls.waiting > waiting);
            context.cancellation.cancel();
            await Promise.all(givenUp);
            assert.equal(calls.waiting, waiting);
        }
    });

    it('leave their queue when their server is killed', async (t) => {
        const { did, kill } = await startUnread(t);
        const { waiting } = calls;
        const context = testContext({ deadline: performance.now() + 60_000 });
        const lost = Array.from({ length: 64 }, () => assert.rejects(create(did, quarterMib, context)));
        await until('a frame is under way', () => calls.waiting < waiting + lost.length);
        assert.ok(calls.waiting > waiting);
        kill();
        await until('none waits to be sent', () => calls.waiting === waiting);
        context.cancellation.cancel();
        await Promise.all(lost);
    });
});

/** Opens a stream of frames to a replica, on which the test sends its own frames. */
function openStream(t: TestContext, { target }: ReplicaAddress): ClientDuplexStream<Frame, Frame> {
    const grpc = new Client(target, credentials.createInsecure());
    t.after(() => grpc.close());
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${TOKEN}`);
    const { path, requestSerialize, responseDeserialize } = FRAME_METHOD;
    return grpc.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
}

function callOf(id: number, method: string, request: Uint8Array, timeoutMs = 10_000): Call {
    return { id, method: `/did.v1.DidService/${method}`, timeout_ms: timeoutMs, context: testContext(), request };
}

const resolveCall = (id: number, did = `did:${id}`, timeoutMs?: number): Call =>
    callOf(id, 'Resolve', encode(ResolveRequest, { did, derive: false }), timeoutMs);

const createCall = (id: number): Call =>
    callOf(id, 'Create', encode(CreateRequest, { public_key: Buffer.alloc(100 << 10, '.') }));

describe('a server of frames', { timeout: 60_000 }, () => {
    it('accepts 32 calls in a frame, and ends a stream with more in a frame before it runs any of them', async (t) => {
        const replica = await startReplica(t);
        const stream = openStream(t, replica.address);
        const answered: number[] = [];
        stream.on('data', (frame: Frame) => answered.push(...frame.replies.map(({ id }) => id)));
        const ended = new Promise<ServiceError>((resolve) => stream.on('error', resolve));
        const ids = Array.from({ length: 33 }, (_, index) => index + 1);
        await writeFrame(stream, { calls: ids.slice(0, 32).map((id) => resolveCall(id)) });
        await until('all are answered', () => answered.length === 32);
        await writeFrame(stream, { calls: ids.map((id) => resolveCall(id, `surplus ${id}`)) });
        const { code, details } = await ended;
        assert.deepEqual([code, details], [status.INVALID_ARGUMENT, 'A frame may contain at most 32 calls.']);
        assert.equal(replica.ran.length, 32);
    });

    for (const [whose, userId, seconds] of [
        ['no call', undefined, 120],
        ['no call of an account', newId(), 30],
    ] as const) {
        it(`gives ${whose} more than ${seconds} s`, async (t) => {
            const replica = await startReplica(t);
            const stream = openStream(t, replica.address);
            const answered = new Promise((resolve) => stream.on('error', () => {}).on('data', resolve));
            const call = resolveCall(1, 'patient', 2 ** 32 - 1);
            await writeFrame(stream, { calls: [{ ...call, context: testContext({ user_id: userId }) }] });
            await answered;
            const { deadline } = replica.contexts.get('patient') ?? assert.fail();
            assert.ok(deadline <= performance.now() + seconds * 1_000);
        });
    }

    it('keeps no reply for a client that has disconnected, neither a queued nor a later one', async (t) => {
        const replica = await startReplica(t);
        const { waiting } = replies;
        const stream = openStream(t, replica.address).on('error', () => {});
        await writeFrame(stream, { calls: [resolveCall(1, 'held')] });
        await writeFrame(stream, { calls: Array.from({ length: 32 }, (_, index) => createCall(index + 2)) });
        await until('replies wait', () => replies.waiting > waiting); // the stream is not read
        stream.cancel();
        await until('none waits', () => replies.waiting === waiting);
        replica.release();
        const did = connectTo(t, [replica.address]);
        assert.equal((await resolve(did, 'x')).did, 'x'); // by now the held call has ended
        assert.equal(replies.waiting, waiting);
    });
});

it('a call tells the server how much time is left when its frame is sent', async (t) => {
    const sent: Call[] = [];
    let opened: ServerDuplexStream<Frame, Frame> | undefined;
    const { address } = await startFrameServer(t, (stream) => {
        opened = stream;
        stream.on('error', () => {}).on('data', (frame: Frame) => sent.push(...frame.calls));
        stream.sendMetadata(new Metadata());
    });
    const did = connectTo(t, [address]);
    const first = testContext();
    const deadline = performance.now() + 10_000;
    const context: CallContext & { deadline: number } = testContext({ deadline }); // to be changed below
    const givenUp = [resolve(did, 'first', first).catch(() => {})];
    await until('the stream is open', () => opened !== undefined && sent.length === 1);
    givenUp.push(resolve(did, 'second', context).catch(() => {}));
    context.deadline -= 5_000; // as if the call had waited for 5 s
    await until('it has arrived', () => sent.length === 2);
    assert.ok((sent[1]?.timeout_ms ?? assert.fail()) < 5_000);
    for (const one of [first, context]) one.cancellation.cancel();
    await Promise.all(givenUp);
});
