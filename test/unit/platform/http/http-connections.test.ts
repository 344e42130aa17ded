import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { type CutReason, watchConnections } from '../../../../platform/http/http-connections.ts';
import { socketClosed } from '../../../support/sockets.ts';

const MAX_REQUESTS = 8;
const MAX_PIPELINED = 1_000;
const REQUEST = 'GET / HTTP/1.1\r\nHost: test\r\n\r\n';

/** Starts a server that bounds its connections and calls `answer` to answer a request. */
async function bounded(
    context: TestContext,
    answer: (response: ServerResponse) => void,
    { most = 1_000, pipelined = MAX_PIPELINED } = {},
) {
    const cuts: CutReason[] = [];
    let begun = 0;
    const listener: RequestListener = (_request, response) => {
        if (!connections.begin(response, 'client')) return;
        begun++;
        answer(response);
    };
    const server = createServer(listener);
    const unsentBytes = { connection: 1 << 20, address: 1 << 20, total: 1 << 20 };
    const bounds = { connections: most, reserve: 1, requests: MAX_REQUESTS, pipelined, unsentBytes };
    const connections = watchConnections(server, bounds, (reason) => cuts.push(reason));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    context.after(() => {
        connections.stop();
        server.closeAllConnections();
        server.close();
    });
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const dial = async (): Promise<Socket> => {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
        return socket.on('data', () => {});
    };
    return { dial, cuts, begun: () => begun };
}

describe('connections of an HTTP server', { timeout: 30_000 }, () => {
    it('are cut if they have too many requests in progress, and no further one begins', async (context) => {
        const { dial, cuts, begun } = await bounded(context, () => {});
        const socket = await dial();
        socket.write(REQUEST.repeat(1_000));
        await socketClosed(socket);
        assert.deepEqual(cuts, ['requests']);
        assert.equal(begun(), MAX_REQUESTS);
    });

    for (const proves of [false, true]) {
        it(`are read in turns while many pipeline, but soon if they were answered ${proves ? 'last' : 'before'}`, async (context) => {
            const hosts: string[] = [];
            const { dial, begun } = await bounded(context, (response) => {
                hosts.push(response.req.headers.host ?? '');
                const end = performance.now() + 0.1;
                while (performance.now() < end); // a turn then has time for about a hundred requests
                setTimeout(() => response.end(), 1);
            });
            const many: Socket[] = [];
            while (many.length < 100) many.push(await dial());
            for (const socket of proves ? many : []) {
                socket.write(REQUEST);
                await once(socket, 'data');
            }
            const proven = await dial();
            proven.write(REQUEST.replace('test', 'proven'));
            await once(proven, 'data');
            // The server reads none of these before all are written: it shares the event loop with this test.
            for (const socket of many) socket.write(REQUEST.repeat(MAX_REQUESTS));
            proven.write(REQUEST.replace('test', 'proven'));
            await once(proven, 'data');
            const before = hosts.lastIndexOf('proven');
            assert.ok(before < 400, `${before} requests of others came first`);
            const all = 2 + (proves ? 100 : 0) + 100 * MAX_REQUESTS;
            while (begun() < all) await new Promise((resolve) => setTimeout(resolve, 1));
        });
    }

    it('are cut if they pipeline while all connections together have pipelined too much', async (context) => {
        const held: ServerResponse[] = [];
        const { dial, cuts } = await bounded(context, (response) => held.push(response), { pipelined: 4 });
        const [one, other, last] = [await dial(), await dial(), await dial()];
        one.write(REQUEST.repeat(5)); // four of these are pipelined
        other.write(REQUEST);
        while (held.length < 6) await new Promise((resolve) => setTimeout(resolve, 1));
        other.write(REQUEST);
        await socketClosed(other);
        assert.deepEqual(cuts, ['requests']);
        for (const response of held) response.end();
        while (one.bytesRead === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        last.write(REQUEST.repeat(2)); // there is room again
        while (held.length < 8) await new Promise((resolve) => setTimeout(resolve, 1));
    });

    it('are closed to make room for a new one: the longest idle one first, and never a busy one', async (context) => {
        const held: ServerResponse[] = [];
        const { dial, cuts } = await bounded(context, (response) => held.push(response), { most: 4 });
        const [busy, answered, idle] = [await dial(), await dial(), await dial()];
        for (const socket of [busy, answered]) socket.write(REQUEST);
        while (held.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
        held[1]?.end();
        await once(answered, 'data');
        await dial();
        for (const oldest of [idle, answered]) {
            const closed = socketClosed(oldest);
            await dial();
            await closed;
        }
        assert.deepEqual(cuts, ['idle', 'idle']);
        held[0]?.end();
        await once(busy, 'data');
    });

    it('are cut before their request has arrived, if room is needed and none is idle', async (context) => {
        const held: ServerResponse[] = [];
        const { dial, cuts } = await bounded(context, (response) => held.push(response), { most: 3 });
        const [busy, sending, other] = [await dial(), await dial(), await dial()];
        busy.write(REQUEST);
        for (const socket of [sending, other])
            socket.write('POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nx');
        while (held.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
        const closed = socketClosed(sending);
        await dial();
        await closed;
        assert.deepEqual(cuts, ['idle']);
        assert.deepEqual([busy.destroyed, other.destroyed], [false, false]);
    });

    it('are cut a few in each turn if many have too much unsent data', async (context) => {
        let answered = 0;
        const { dial, cuts } = await bounded(context, (response) => {
            answered++;
            response.end(Buffer.alloc(8 << 20));
        });
        const sockets: Socket[] = [];
        while (sockets.length < 20) sockets.push((await dial()).pause());
        for (const socket of sockets) socket.write(REQUEST);
        while (answered < 20) await new Promise((resolve) => setTimeout(resolve, 1));
        const cutsByTurn: number[] = [];
        while (cuts.length < 19) {
            const before = cuts.length;
            await new Promise((resolve) => setImmediate(resolve));
            if (cuts.length > before) cutsByTurn.push(cuts.length - before);
        }
        assert.ok(Math.max(...cutsByTurn) <= 4, `cut in one turn: ${cutsByTurn}`);
    });
});
