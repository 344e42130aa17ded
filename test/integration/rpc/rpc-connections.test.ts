import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import type { ReplicaAddress } from '../../../platform/rpc/resolve.ts';
import { authority } from '../../support/certificates.ts';
import { socketClosed } from '../../support/sockets.ts';
import { connectTo, resolve, startReplica, until } from './rpc.fixture.ts';

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

describe('a connection', { timeout: 60_000 }, () => {
    const tcp = async (t: TestContext, { target }: ReplicaAddress): Promise<Socket> => {
        const socket = connectTcp(Number(target.split(':')[1]), '127.0.0.1').on('error', () => {});
        t.after(() => socket.destroy());
        socket.resume();
        await once(socket, 'connect');
        return socket;
    };

    for (const secure of [false, true]) {
        it(`${secure ? 'over TLS' : 'in clear text'} without a valid token is closed, others stay open`, async (t) => {
            const ours = authority('ours');
            const tls = secure ? { ...ours.certify('did'), ca: ours.cert } : undefined;
            const replica = await startReplica(t, { tls, bounds: { unknownMs: 500 } });
            const did = connectTo(t, [replica.address], tls && { tls: { ...ours.certify('gateway'), ca: ours.cert } });
            const held = resolve(did, 'held');
            const silent = await tcp(t, replica.address);
            await until('it is under way', () => replica.ran.includes('held'));
            await socketClosed(silent);
            await delay(600); // longer than a connection may stay open without a token
            replica.release();
            assert.equal((await held).did, 'held');
            assert.deepEqual(replica.ran, ['held'], 'the call was not sent again');
        });
    }

    it('is refused at once if its address has too many connections without a token', async (t) => {
        const { address } = await startReplica(t, { bounds: { unknownPerAddress: 2, unknownMs: 60_000 } });
        const did = connectTo(t, [address]);
        await resolve(did, 'x'); // this connection has a token, so it does not count
        const [first] = [await tcp(t, address), await tcp(t, address)];
        const third = await tcp(t, address);
        await socketClosed(third);
        assert.equal((await resolve(did, 'y')).did, 'y');
        first.destroy();
        await until('there is room again', async () => {
            const another = await tcp(t, address);
            await delay(20);
            return !another.closed;
        });
    });

    it('has at most 1024 streams at once', async (t) => {
        const { address } = await startReplica(t);
        const { session } = rawClient(t, address);
        const [settings] = await once(session, 'remoteSettings');
        assert.equal(settings.maxConcurrentStreams, 1_024);
    });
});
