import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { AppError } from '../../../platform/errors.ts';
import { queueStats } from '../../../platform/queue-stats.ts';
import { type Connection, connect } from '../../../platform/rpc/connect.ts';
import { bind, client } from '../../../platform/rpc/definition.ts';
import { dispatcher } from '../../../platform/rpc/dispatch.ts';
import { MAX_ANSWER_BYTES } from '../../../platform/rpc/frames/frames.ts';
import { decodeError, RemoteError } from '../../../platform/rpc/frames/wire.ts';
import { localTransport } from '../../../platform/rpc/local.ts';
import type { RpcServer } from '../../../platform/rpc/serve.ts';
import type { Log } from '../../../platform/telemetry/log.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { DidServiceDefinition } from '../../../proto/gen/did/v1/did.ts';
import { testContext } from '../../support/harness.ts';
import { stubService } from '../../support/stub-service.ts';
import { connectTo, create, resolve, serveHere, startReplica, TOKEN } from './rpc.fixture.ts';

const slow = Promise.withResolvers<void>();

/** A service whose behaviour depends on the DID in the request. */
const scripted = stubService(DidServiceDefinition, {
    create: async ({ public_key }) => ({ did: 'did:key:new', public_key: public_key ?? new Uint8Array() }),
    async resolve({ did }, context) {
        if (did === 'missing') throw new AppError('not_found', 'No such DID.', { retry_after: 7 });
        if (did === 'broken') throw new Error('secret detail');
        if (did === 'passed on') throw decodeError({ kind: 'unavailable', detail: 'elsewhere', retry_after: 1 });
        if (did === 'slow') await slow.promise;
        if (did === 'huge') return { did, public_key: new Uint8Array(MAX_ANSWER_BYTES) };
        if (did === 'with extra fields') return { did, public_key: new Uint8Array(), account: 'of somebody' };
        if (did === 'caller') {
            const { deadline, ...caller } = context;
            const seen = { ...caller, leftMs: deadline - performance.now() };
            return { did: JSON.stringify(seen), public_key: new Uint8Array() };
        }
        return { did, public_key: Uint8Array.of(1, 2, 3) };
    },
});

const methods = bind(DidServiceDefinition, scripted);
/** The messages of the errors that were logged. */
const logged: string[] = [];
// No other method of the log is called.
const log = { error: ({ err }: { err: Error }) => void logged.push(err.message) } as unknown as Log;
const dispatch = dispatcher(methods, { log, metrics: createMetrics() });
let server: RpcServer;
let connection: Connection;

before(async () => {
    server = await serveHere({ methods, dispatch: dispatch.remote });
    connection = connect({ service: 'test', address: server.address, serviceToken: TOKEN, tls: undefined });
});
after(async () => {
    slow.resolve();
    connection.close();
    await server.stop();
});

const transports = {
    'in this process': () => client(DidServiceDefinition, localTransport(dispatch.local)),
    'over the frame stream': () => client(DidServiceDefinition, connection.transport),
};

for (const [where, make] of Object.entries(transports)) {
    describe(`a service ${where}`, () => {
        it('answers with the message that its method returned', async () => {
            const answer = await make().resolve({ did: 'did:key:x', derive: false }, testContext());
            assert.equal(answer.did, 'did:key:x');
            assert.deepEqual([...answer.public_key], [1, 2, 3]);
        });

        it('answers with the fields of the contract only', async () => {
            const answer = await make().resolve({ did: 'with extra fields', derive: false }, testContext());
            assert.deepEqual(Object.keys(answer), ['did', 'public_key']);
        });

        it('keeps the kind, detail and wait of a refusal', async () => {
            const refused = make().resolve({ did: 'missing', derive: false }, testContext());
            await assert.rejects(refused, (error: AppError) => {
                assert.ok(error instanceof AppError);
                assert.deepEqual([error.kind, error.detail, error.retry_after], ['not_found', 'No such DID.', 7]);
                return true;
            });
        });

        it('reveals nothing about an unexpected error', async () => {
            const refused = make().resolve({ did: 'broken', derive: false }, testContext());
            await assert.rejects(refused, (error: AppError) => {
                assert.equal(error.kind, 'internal');
                assert.doesNotMatch(error.detail, /secret/);
                return true;
            });
        });

        it('does not log an error again that another service has answered', async () => {
            logged.length = 0;
            const refused = make().resolve({ did: 'passed on', derive: false }, testContext());
            await assert.rejects(refused, { kind: 'unavailable' });
            assert.deepEqual(logged, []);
        });

        it('gets the context of its caller', async () => {
            const context = testContext({ tier: 'pro', session_id: 's', trusted: true, traceparent: 'tp' });
            const leftAtStartMs = context.deadline - performance.now();
            const seen = JSON.parse((await make().resolve({ did: 'caller', derive: false }, context)).did);
            const { deadline: _deadline, cancellation: _cancellation, ...caller } = context;
            const { leftMs, cancellation: _its_own, ...rest } = seen;
            assert.deepEqual(rest, caller);
            assert.ok(leftMs <= leftAtStartMs, `${leftMs} of ${leftAtStartMs} ms`);
        });
    });
}

it('a local call that reaches no service fails with its cause, and not as the answer of a service', async () => {
    const nowhere = localTransport(() => Promise.reject(new Error('no service is there')));
    const refused = client(DidServiceDefinition, nowhere).resolve({ did: 'a', derive: false }, testContext());
    await assert.rejects(refused, (error: AppError) => {
        assert.equal(error.kind, 'internal');
        assert.ok(!(error instanceof RemoteError));
        assert.match(String(error.cause), /no service is there/);
        return true;
    });
});

describe('the frame stream', () => {
    it('answers the 31 other calls of a frame if the message of one call cannot be decoded', async () => {
        const { name, requestType, responseType } = DidServiceDefinition.methods.resolve;
        const path = `/${DidServiceDefinition.fullName}/${name}`;
        const unreadable = { ...requestType, encode: () => new BinaryWriter().raw(Uint8Array.of(0x0a, 0xff)) };
        const frames = queueStats('rpc_calls');
        const { batches, items } = frames;
        const results = await Promise.allSettled(
            Array.from({ length: 32 }, (_, index) => {
                const method = { path, safe: true, requestType: index === 13 ? unreadable : requestType, responseType };
                return connection.transport(method, { did: `did:${index}`, derive: false }, testContext());
            }),
        );
        assert.deepEqual([frames.batches - batches, frames.items - items], [1, 32]);
        for (const [index, result] of results.entries()) {
            if (index === 13) assert.equal(result.status === 'rejected' && result.reason.kind, 'invalid');
            else assert.partialDeepStrictEqual(result, { status: 'fulfilled', value: { did: `did:${index}` } });
        }
    });

    it('logs that an answer is too large for a message, and fails only that call', async () => {
        logged.length = 0;
        const ask = (did: string) =>
            client(DidServiceDefinition, connection.transport).resolve({ did, derive: false }, testContext());
        const [huge, small] = await Promise.allSettled([ask('huge'), ask('small')]);
        assert.equal(huge.status === 'rejected' && huge.reason.kind, 'internal');
        assert.equal(small.status, 'fulfilled');
        assert.equal(logged.length, 1);
        assert.match(logged.join(), /^the answer is too large: 4\d{6} bytes$/);
    });

    it('does not let a slow call delay another one', async () => {
        const did = client(DidServiceDefinition, connection.transport);
        let slowIsDone = false;
        const waiting = did.resolve({ did: 'slow', derive: false }, testContext()).finally(() => {
            slowIsDone = true;
        });
        await did.resolve({ did: 'quick', derive: false }, testContext());
        assert.equal(slowIsDone, false);
        slow.resolve();
        await waiting;
    });

    it('refuses a call that could not be answered in time before it starts', async () => {
        const did = client(DidServiceDefinition, connection.transport);
        const late = testContext({ deadline: performance.now() + 50 });
        await assert.rejects(
            did.resolve({ did: 'x', derive: false }, late),
            (error: AppError) => error.kind === 'deadline',
        );
    });

    it('carries answers that together exceed the size limit of a message', async () => {
        const did = client(DidServiceDefinition, connection.transport);
        const publicKey = new Uint8Array(250 << 10).fill(7);
        const answers = await Promise.all(
            Array.from({ length: 64 }, () => did.create({ public_key: publicKey }, testContext())),
        );
        assert.ok(answers.every((answer) => answer.public_key.length === publicKey.length));
    });

    it('sends a message that is too large for a frame in a separate gRPC call', async () => {
        const did = client(DidServiceDefinition, connection.transport);
        const publicKey = new Uint8Array(300 << 10).fill(7);
        const answer = await did.create({ public_key: publicKey }, testContext());
        assert.equal(answer.public_key.length, publicKey.length);
    });

    it('fails calls after its server has stopped, and reconnects when the server is back', async (t) => {
        const first = await startReplica(t);
        const did = connectTo(t, [first.address]);
        await resolve(did, 'x');
        await first.stop();
        await assert.rejects(
            resolve(did, 'x', testContext({ deadline: performance.now() + 2_000 })),
            (error: AppError) => error.kind === 'unavailable' && error.retry_after === 1,
        );
        await startReplica(t, { port: Number(first.address.target.split(':')[1]) });
        assert.equal((await resolve(did, 'y')).did, 'y');
    });

    it('answers the calls in progress before its server stops', async (t) => {
        const { address, release, stop } = await startReplica(t);
        const did = connectTo(t, [address]);
        await create(did, 'first');
        const answer = resolve(did, 'held');
        await create(did, 'second'); // it follows on the stream, so the held call has arrived
        const stopped = stop();
        release();
        assert.equal((await answer).did, 'held');
        await stopped;
    });
});
