import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError } from '../../../platform/errors.ts';
import { queueStats } from '../../../platform/queue-stats.ts';
import { type Connection, connect } from '../../../platform/rpc/connect.ts';
import { bind, client, type ServiceOf } from '../../../platform/rpc/definition.ts';
import { dispatcher } from '../../../platform/rpc/dispatch.ts';
import { encode } from '../../../platform/rpc/frames/encode.ts';
import { MAX_ANSWER_BYTES } from '../../../platform/rpc/frames/frames.ts';
import { decodeError, RemoteError } from '../../../platform/rpc/frames/wire.ts';
import { localTransport } from '../../../platform/rpc/local.ts';
import { type RpcServer, serve } from '../../../platform/rpc/serve.ts';
import type { Log } from '../../../platform/telemetry/log.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { DidServiceDefinition, ResolveRequest, ResolveResponse } from '../../../proto/gen/did/v1/did.ts';
import { testContext } from '../../support/harness.ts';
import { connectTo, create, resolve, startReplica, TOKEN } from './rpc.fixture.ts';

const slow = Promise.withResolvers<void>();

/** A service that does what the DID it is asked for says. */
const scripted: ServiceOf<typeof DidServiceDefinition> = {
    create: async ({ public_key }) => ({ did: 'did:key:new', public_key: public_key ?? new Uint8Array() }),
    async resolve({ did }, context) {
        if (did === 'missing') throw new AppError('not_found', 'No such DID.', { retry_after: 7 });
        if (did === 'broken') throw new Error('secret detail');
        if (did === 'passed on') throw decodeError({ kind: 'unavailable', detail: 'elsewhere', retry_after: 1 });
        if (did === 'slow') await slow.promise;
        if (did === 'huge') return { did, public_key: new Uint8Array(MAX_ANSWER_BYTES) };
        if (did === 'caller') {
            const { deadline, ...caller } = context;
            const seen = { ...caller, left_ms: deadline - performance.now() };
            return { did: JSON.stringify(seen), public_key: new Uint8Array() };
        }
        return { did, public_key: Uint8Array.of(1, 2, 3) };
    },
    recordForWallet: async () => ({ did: 'did:key:new' }),
    filterOwned: async ({ dids }) => ({ dids }),
    listOwned: async () => ({ dids: [] }),
    getQuotas: async () => ({ dids: undefined }),
};

const methods = bind(DidServiceDefinition, scripted);
/** The messages of the errors that were logged. */
const logged: string[] = [];
const log = { error: ({ err }: { err: Error }) => void logged.push(err.message) } as unknown as Log; // all that is called
const dispatch = dispatcher(methods, { log, metrics: createMetrics() });
let server: RpcServer;
let connection: Connection;

before(async () => {
    server = await serve({
        methods,
        dispatch,
        host: '127.0.0.1',
        port: 0,
        service_tokens: [TOKEN],
        service_callers: {},
        tls: undefined,
        metrics: createMetrics(),
        ready: async () => true,
    });
    connection = connect({ address: server.address, service_token: TOKEN, tls: undefined });
});
after(async () => {
    slow.resolve();
    connection.close();
    await server.stop();
});

const transports = {
    'in this process': () => client(DidServiceDefinition, localTransport(dispatch)),
    'over the frame stream': () => client(DidServiceDefinition, connection.transport),
};

for (const [where, make] of Object.entries(transports)) {
    describe(`a service ${where}`, () => {
        it('answers with the message it gave', async () => {
            const answer = await make().resolve({ did: 'did:key:x', derive: false }, testContext());
            assert.equal(answer.did, 'did:key:x');
            assert.deepEqual([...answer.public_key], [1, 2, 3]);
        });

        it('refuses with kind, detail and wait intact', async () => {
            const refused = make().resolve({ did: 'missing', derive: false }, testContext());
            await assert.rejects(refused, (error: AppError) => {
                assert.ok(error instanceof AppError);
                assert.deepEqual([error.kind, error.detail, error.retry_after], ['not_found', 'No such DID.', 7]);
                return true;
            });
        });

        it('tells nothing of an unforeseen error', async () => {
            const refused = make().resolve({ did: 'broken', derive: false }, testContext());
            await assert.rejects(refused, (error: AppError) => {
                assert.equal(error.kind, 'internal');
                assert.doesNotMatch(error.detail, /secret/);
                return true;
            });
        });

        it('logs that an answer is too large for a message, and fails that call alone', async () => {
            logged.length = 0;
            const ask = (did: string) => make().resolve({ did, derive: false }, testContext());
            const [huge, small] = await Promise.allSettled([ask('huge'), ask('small')]);
            assert.equal(huge.status === 'rejected' && huge.reason.kind, 'internal');
            assert.equal(small.status, 'fulfilled');
            assert.equal(logged.length, 1);
            assert.match(logged.join(), /^an answer of 4\d{6} bytes$/);
        });

        it('does not log again what another service has answered it with', async () => {
            logged.length = 0;
            const refused = make().resolve({ did: 'passed on', derive: false }, testContext());
            await assert.rejects(refused, { kind: 'unavailable' });
            assert.deepEqual(logged, []);
        });

        it('knows on whose behalf it is called', async () => {
            const context = testContext({ tier: 'pro', session_id: 's', trusted: true, traceparent: 'tp' });
            const left_at_start_ms = context.deadline - performance.now();
            const seen = JSON.parse((await make().resolve({ did: 'caller', derive: false }, context)).did);
            const { deadline: _deadline, cancellation: _cancellation, ...caller } = context;
            const { left_ms, cancellation: _its_own, ...rest } = seen;
            assert.deepEqual(rest, caller);
            assert.ok(left_ms <= left_at_start_ms, `${left_ms} of ${left_at_start_ms} ms`);
        });
    });
}

it('a call in this process that reaches no service fails with its cause, as no answer of a service', async () => {
    const nowhere = localTransport(() => Promise.reject(new Error('nobody is there')));
    const refused = client(DidServiceDefinition, nowhere).resolve({ did: 'a', derive: false }, testContext());
    await assert.rejects(refused, (error: AppError) => {
        assert.equal(error.kind, 'internal');
        assert.ok(!(error instanceof RemoteError));
        assert.match(String(error.cause), /nobody is there/);
        return true;
    });
});

describe('the frame stream', () => {
    it('answers the 31 neighbours of a call in one frame whose message cannot be read', async () => {
        const method = { path: '/did.v1.DidService/Resolve', safe: true };
        const frames = queueStats('rpc_calls');
        const { batches, items } = frames;
        const results = await Promise.allSettled(
            Array.from({ length: 32 }, (_, index) => {
                const readable = encode(ResolveRequest, { did: `did:${index}`, derive: false });
                const request = index === 13 ? Uint8Array.of(0x0a, 0xff) : readable;
                return connection.transport(method, request, testContext());
            }),
        );
        assert.deepEqual([frames.batches - batches, frames.items - items], [1, 32]);
        for (const [index, result] of results.entries()) {
            if (index === 13) assert.equal(result.status === 'rejected' && result.reason.kind, 'invalid');
            else
                assert.equal(result.status === 'fulfilled' && ResolveResponse.decode(result.value).did, `did:${index}`);
        }
    });

    it('lets no slow call delay another', async () => {
        const did = client(DidServiceDefinition, connection.transport);
        let slow_is_done = false;
        const waiting = did.resolve({ did: 'slow', derive: false }, testContext()).finally(() => {
            slow_is_done = true;
        });
        await did.resolve({ did: 'quick', derive: false }, testContext());
        assert.equal(slow_is_done, false);
        slow.resolve();
        await waiting;
    });

    it('refuses before it starts what could not be answered in time', async () => {
        const did = client(DidServiceDefinition, connection.transport);
        const late = testContext({ deadline: performance.now() + 50 });
        await assert.rejects(
            did.resolve({ did: 'x', derive: false }, late),
            (error: AppError) => error.kind === 'deadline',
        );
    });

    it('survives answers that together exceed what one message may be', async () => {
        const did = client(DidServiceDefinition, connection.transport);
        const public_key = new Uint8Array(250 << 10).fill(7);
        const answers = await Promise.all(Array.from({ length: 64 }, () => did.create({ public_key }, testContext())));
        assert.ok(answers.every((answer) => answer.public_key.length === public_key.length));
    });

    it('carries a message that is too large for a frame by a call of its own', async () => {
        const did = client(DidServiceDefinition, connection.transport);
        const public_key = new Uint8Array(300 << 10).fill(7);
        const answer = await did.create({ public_key }, testContext());
        assert.equal(answer.public_key.length, public_key.length);
    });

    it('fails what is under way when its server goes, and finds the server again', async (t) => {
        const first = await startReplica(t);
        const did = connectTo(t, [first.address]);
        await resolve(did, 'x');
        await first.stop();
        await assert.rejects(
            resolve(did, 'x'),
            (error: AppError) => error.kind === 'unavailable' && error.retry_after === 1,
        );
        await startReplica(t, { port: Number(first.address.target.split(':')[1]) });
        assert.equal((await resolve(did, 'y')).did, 'y');
    });

    it('answers what it has before its server stops', async (t) => {
        const { address, release, stop } = await startReplica(t);
        const did = connectTo(t, [address]);
        await create(did, 'first');
        const answer = resolve(did, 'held');
        await create(did, 'second'); // behind it on the stream: it has arrived
        const stopped = stop();
        release();
        assert.equal((await answer).did, 'held');
        await stopped;
    });
});
