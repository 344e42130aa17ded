import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import type { ReplicaAddress } from '../../../platform/rpc/resolve.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { authority } from '../../support/certificates.ts';
import { socketClosed } from '../../support/sockets.ts';
import { connectTo, resolve, startReplica, TOKEN, until } from './rpc.fixture.ts';

const RESOLVE = '/did.v1.DidService/Resolve';
const OTHER = 'the token of another service';
const OTHERS = { token_sha256: hash('sha256', OTHER), methods: [RESOLVE], trusted: false, max_in_flight: 2 };

/** An HTTP/2 client that can begin a call without finishing it. */
function rawClient(t: TestContext, { target }: ReplicaAddress) {
    const session = connectHttp2(`http://${target}`).on('error', () => {});
    t.after(() => session.destroy());
    return {
        session,
        /** Sends the headers of a call and the first bytes of a message of 4 MiB. Resolves to the answer's status. */
        async begin(path: string, token?: string): Promise<number> {
            const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
            const head = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
            const stream = session.request({ ...head, ...authorization });
            stream.on('error', () => {});
            stream.write(Buffer.of(0, 0, 0x40, 0, 0, 1, 2, 3));
            const [headers] = await once(stream, 'response');
            return Number(headers['grpc-status']);
        },
    };
}

/** How long a connection may stay open without a token, in tests that wait for that, in milliseconds. */
const AUTHENTICATE_MS = 1_500;

describe('a call', { timeout: 60_000 }, () => {
    it('without a valid token is refused before its message has arrived', async (t) => {
        const { address } = await startReplica(t, { serviceCallers: { other: OTHERS } });
        const { begin } = rawClient(t, address);
        for (const token of [undefined, 'wrong']) assert.equal(await begin(RESOLVE, token), status.UNAUTHENTICATED);
        assert.equal(await begin('/did.v1.DidService/Create', OTHER), status.PERMISSION_DENIED);
    });

    it('counts against the limit of its caller from its headers until it ends', async (t) => {
        const { address } = await startReplica(t, { serviceCallers: { other: OTHERS } });
        const [first, second] = [rawClient(t, address), rawClient(t, address)];
        const unanswered = [first.begin(RESOLVE, OTHER), second.begin(RESOLVE, OTHER)];
        for (const begun of unanswered) begun.catch(() => {});
        const third = rawClient(t, address);
        await until('both calls count', async () => (await third.begin(RESOLVE, OTHER)) === status.RESOURCE_EXHAUSTED);
        first.session.destroy();
        second.session.destroy();
        const did = connectTo(t, [address]);
        assert.equal((await resolve(did, 'x')).did, 'x', 'other callers are served');
        const again = rawClient(t, address);
        await until('there is room again', async () => {
            const answer = again.begin(RESOLVE, OTHER);
            answer.catch(() => {});
            return (await Promise.race([answer, delay(200)])) === undefined; // admitted, and waits for its message
        });
    });
});

/** Starts a replica whose clients have certificates if it is `secure`. */
async function start(t: TestContext, secure: boolean, options: Parameters<typeof startReplica>[1]) {
    const ours = authority('ours');
    const tlsOf = (name: string) => (secure ? { ...ours.certify(name), ca: ours.cert } : undefined);
    const metrics = createMetrics();
    const replica = await startReplica(t, { tls: tlsOf('did'), metrics, ...options });
    return {
        ...replica,
        client: () => connectTo(t, [replica.address], { tls: tlsOf('gateway') }),
        async cutFor(reason: string): Promise<number> {
            const series = `grpc_connections_cut_total{reason="${reason}"} `;
            const line = (await metrics.expose()).text.split('\n').find((each) => each.startsWith(series));
            return Number(line?.slice(series.length));
        },
    };
}

describe('a connection', { timeout: 60_000 }, () => {
    const tcp = async (t: TestContext, { target }: ReplicaAddress): Promise<Socket> => {
        const socket = connectTcp(Number(target.split(':')[1]), '127.0.0.1').on('error', () => {});
        t.after(() => socket.destroy());
        socket.resume();
        await once(socket, 'connect');
        return socket;
    };

    for (const secure of [false, true]) {
        const where = secure ? 'over TLS' : 'in clear text';
        it(`${where} without a valid token is closed, and others stay open`, async (t) => {
            const { address, client, cutFor, ran, release } = await start(t, secure, {
                bounds: { authenticateMs: AUTHENTICATE_MS },
            });
            const did = client();
            const held = resolve(did, 'held');
            const silent = await tcp(t, address);
            await until('it is under way', () => ran.includes('held'));
            await socketClosed(silent);
            await delay(AUTHENTICATE_MS + 100);
            release();
            assert.equal((await held).did, 'held');
            assert.deepEqual(ran, ['held'], 'the call was not sent again');
            assert.equal(await cutFor('time'), 1);
        });

        it(`${where} is closed at once while there are too many`, async (t) => {
            const { address, client, cutFor } = await start(t, secure, { bounds: { connections: 3 } });
            const did = client(); // it has one connection
            assert.equal((await resolve(did, 'x')).did, 'x');
            const [first] = [await tcp(t, address), await tcp(t, address)];
            await socketClosed(await tcp(t, address));
            await until('it is counted', async () => (await cutFor('connections')) === 1);
            assert.equal((await resolve(did, 'y')).did, 'y');
            first.destroy();
            await until('there is room again', async () => {
                const another = client();
                return resolve(another, 'z').then(
                    () => true,
                    () => false,
                );
            });
        });
    }

    it('has at most 1024 streams at once', async (t) => {
        const { address } = await startReplica(t);
        const { session } = rawClient(t, address);
        const [settings] = await once(session, 'remoteSettings');
        assert.equal(settings.maxConcurrentStreams, 1_024);
    });
});

/** A client of the health service. Its calls stay open as long as the server allows. */
function healthClient(t: TestContext, { target }: ReplicaAddress, token?: string) {
    const session = connectHttp2(`http://${target}`).on('error', () => {});
    t.after(() => session.destroy());
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    /** Returns the status with which the call ends, or undefined if it stays open. */
    return async (method: 'Check' | 'Watch'): Promise<number | undefined> => {
        const path = `/grpc.health.v1.Health/${method}`;
        const head = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
        const stream = session.request({ ...head, ...authorization });
        stream.on('error', () => {});
        stream.end(Buffer.alloc(5));
        const [headers] = await once(stream, 'response');
        if (headers['grpc-status'] !== undefined) return Number(headers['grpc-status']);
        const trailers = once(stream, 'trailers');
        const first = await Promise.race([trailers, once(stream, 'data')]);
        if (method === 'Watch' && Buffer.isBuffer(first[0])) return undefined;
        stream.resume();
        return Number((await trailers)[0]['grpc-status']);
    };
}

describe('health', { timeout: 60_000 }, () => {
    it('allows 64 Watch calls without a token, and leaves room for Check and for calls with a token', async (t) => {
        const { address } = await startReplica(t);
        const stranger = healthClient(t, address);
        for (let call = 0; call < 64; call++) assert.equal(await stranger('Watch'), undefined);
        assert.equal(await stranger('Watch'), status.RESOURCE_EXHAUSTED);
        assert.equal(await healthClient(t, address)('Watch'), status.RESOURCE_EXHAUSTED);
        assert.equal(await stranger('Check'), status.OK);
        const known = healthClient(t, address, TOKEN);
        for (let call = 0; call < 20; call++) assert.equal(await known('Watch'), undefined);
        assert.equal(await known('Check'), status.OK);
    });

    it('keeps a connection open that presents a token', async (t) => {
        const { address } = await startReplica(t, { bounds: { authenticateMs: AUTHENTICATE_MS } });
        const known = healthClient(t, address, TOKEN);
        assert.equal(await known('Check'), status.OK);
        await delay(AUTHENTICATE_MS + 100);
        assert.equal(await known('Check'), status.OK);
    });
});
