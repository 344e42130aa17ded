import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { status } from '@grpc/grpc-js';
import type { ReplicaAddress } from '../../../../platform/rpc/resolve.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { connectTo, resolve, startReplica, TOKEN, until } from '../../../integration/rpc/rpc.fixture.ts';
import { FLOODS, PREFACE } from '../../../support/http2-frames.ts';
import { socketClosed } from '../../../support/sockets.ts';

const portOf = ({ target }: ReplicaAddress): number => Number(target.split(':')[1]);

async function dial(t: TestContext, replica: ReplicaAddress, localAddress = '127.0.0.1'): Promise<Socket> {
    const socket = connectTcp({ port: portOf(replica), host: '127.0.0.1', localAddress }).on('error', () => {});
    t.after(() => socket.destroy());
    socket.resume();
    await once(socket, 'connect');
    return socket;
}

async function start(t: TestContext, bounds: Parameters<typeof startReplica>[1] = {}) {
    const metrics = createMetrics();
    const replica = await startReplica(t, { metrics, ...bounds });
    const value = async (series: string): Promise<number> => {
        const line = (await metrics.expose()).text.split('\n').find((each) => each.startsWith(`${series} `));
        return Number(line?.slice(series.length + 1));
    };
    const cutFor = (reason: string) => value(`grpc_connections_cut_total{reason="${reason}"}`);
    return { ...replica, value, cutFor };
}

/** Counts the streams that are opened in this process. */
function countStreams(t: TestContext): () => number {
    let streams = 0;
    const count = (): void => void streams++;
    subscribe('http2.server.stream.created', count);
    t.after(() => unsubscribe('http2.server.stream.created', count));
    return () => streams;
}

/** Sends the bytes in one write, and waits until the connection is closed. */
async function sendUntilClosed(
    t: TestContext,
    replica: ReplicaAddress,
    bytes: Buffer,
    address?: string,
): Promise<void> {
    const socket = await dial(t, replica, address);
    socket.write(bytes);
    await socketClosed(socket);
}

/** A client of the health service. Its calls stay open as long as the server allows. */
function healthClient(t: TestContext, replica: ReplicaAddress, options: { address?: string; token?: string } = {}) {
    const { address: localAddress = '127.0.0.1', token } = options;
    const createConnection = () => connectTcp({ port: portOf(replica), host: '127.0.0.1', localAddress });
    const session = connectHttp2(`http://${replica.target}`, { createConnection }).on('error', () => {});
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

describe('a connection without a token', { timeout: 60_000 }, () => {
    for (const what of ['streams that are reset at once', 'streams that end at once', 'streams to nothing'] as const) {
        it(`is closed when it opens more than 160 streams, also within one packet: ${what}`, async (t) => {
            const { address: replica, cutFor } = await start(t);
            const streams = countStreams(t);
            await sendUntilClosed(t, replica, FLOODS[what](300));
            assert.equal(streams(), 161);
            assert.equal(await cutFor('streams'), 1);
        });
    }

    it('is closed after a hundred invalid frames', async (t) => {
        for (const what of ['streams with broken headers', 'empty DATA'] as const) {
            const { address: replica } = await start(t);
            const began = performance.now();
            await sendUntilClosed(t, replica, FLOODS[what](150));
            assert.ok(performance.now() - began < 14_000, `${what}: it was closed only because it was silent for 15 s`);
        }
    });

    it('is closed when it has sent more than 128 KiB', async (t) => {
        const { address: replica, cutFor } = await start(t);
        await sendUntilClosed(t, replica, FLOODS.WINDOW_UPDATE(20_000));
        assert.equal(await cutFor('bytes'), 1);
    });

    it('is closed when its address opens streams too fast, and other addresses keep their connections', async (t) => {
        const rate = { burst: 20, perSecond: 0.001 };
        const streamRates = { address: rate, total: { burst: 1_000, perSecond: 1 } };
        const { address: replica, cutFor } = await start(t, { bounds: { streamRates } });
        const ten = FLOODS['streams that end at once'](10);
        const two = [await dial(t, replica), await dial(t, replica)];
        const streams = countStreams(t);
        for (const socket of two) socket.write(ten);
        await until('the streams are open', () => streams() === 20);
        await sendUntilClosed(t, replica, ten);
        assert.equal(await cutFor('rate'), 1);
        assert.ok(two.every(({ closed }) => !closed));
        const other = await dial(t, replica, '127.0.0.2');
        other.write(ten);
        await until('the streams are open', () => streams() === 31);
        assert.equal(other.closed, false);
    });

    it('is refused when its address connects too fast, and connections with a token do not count', async (t) => {
        const rate = { burst: 3, perSecond: 0.001 };
        const connectionRates = { address: rate, total: { burst: 1_000, perSecond: 1 } };
        const { address: replica, cutFor, value } = await start(t, { bounds: { connectionRates } });
        for (let round = 0; round < 6; round++) {
            assert.equal(await healthClient(t, replica, { token: TOKEN })('Check'), status.OK);
        }
        assert.equal(await value('grpc_connections{token="valid"}'), 6);
        for (let round = 0; round < 3; round++) (await dial(t, replica)).destroy();
        assert.equal(await cutFor('rate'), 0);
        await sendUntilClosed(t, replica, PREFACE);
        assert.equal(await cutFor('rate'), 1);
    });

    it('is read in turns, and every connection gets its turn', async (t) => {
        const { address: replica, value } = await start(t);
        const silent = await Promise.all(Array.from({ length: 60 }, () => dial(t, replica)));
        for (const socket of silent) socket.write(PREFACE);
        await until('all are connected', async () => (await value('grpc_connections{token="none"}')) === 60);
        assert.equal((await resolve(connectTo(t, [replica]), 'x')).did, 'x');
        const streams = countStreams(t);
        for (const socket of silent) socket.write(FLOODS['streams that end at once'](1).subarray(PREFACE.length));
        await until('each connection is read', () => streams() === 60);
        for (const socket of silent) socket.destroy();
        await until('each connection is closed', async () => (await value('grpc_connections{token="none"}')) === 0);
    });
});

describe('health without a token', { timeout: 60_000 }, () => {
    it('allows four Watch calls on a connection and sixteen from an address, and serves other addresses', async (t) => {
        const { address: replica } = await start(t);
        const first = healthClient(t, replica);
        for (let call = 0; call < 4; call++) assert.equal(await first('Watch'), undefined);
        for (let call = 0; call < 4; call++) assert.equal(await first('Watch'), status.RESOURCE_EXHAUSTED);
        assert.equal(await first('Check'), status.OK);
        for (let connection = 0; connection < 3; connection++) {
            const another = healthClient(t, replica);
            for (let call = 0; call < 4; call++) assert.equal(await another('Watch'), undefined);
        }
        const late = healthClient(t, replica);
        assert.equal(await late('Watch'), status.RESOURCE_EXHAUSTED);
        assert.equal(await late('Check'), status.OK);
        const elsewhere = healthClient(t, replica, { address: '127.0.0.2' });
        assert.equal(await elsewhere('Watch'), undefined);
        assert.equal(await elsewhere('Check'), status.OK);
    });

    it('leaves room for calls with a token', async (t) => {
        const { address: replica } = await start(t);
        for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']) {
            for (let connection = 0; connection < 4; connection++) {
                const unknownCaller = healthClient(t, replica, { address });
                for (let call = 0; call < 4; call++) assert.equal(await unknownCaller('Watch'), undefined);
            }
        }
        assert.equal(await healthClient(t, replica)('Watch'), status.RESOURCE_EXHAUSTED);
        const known = healthClient(t, replica, { token: TOKEN });
        for (let call = 0; call < 20; call++) assert.equal(await known('Watch'), undefined);
        assert.equal(await known('Check'), status.OK);
    });
});
