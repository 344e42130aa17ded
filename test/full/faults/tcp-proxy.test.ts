import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from './stack/tcp-proxy.ts';

/** Much longer than the transfer of a byte over loopback, in milliseconds. */
const WHILE_MS = 200;

describe('the fault proxy', () => {
    const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
    let proxy: TcpProxy;

    before(async () => {
        echo.listen(0, '127.0.0.1');
        await once(echo, 'listening');
        proxy = await startTcpProxy((echo.address() as AddressInfo).port); // it listens on TCP
    });
    after(async () => {
        await proxy.close();
        echo.close();
    });

    async function open(): Promise<Socket> {
        const socket = connect({ host: '127.0.0.1', port: proxy.port });
        socket.on('error', () => {}); // some are cut
        await once(socket, 'connect');
        return socket;
    }

    async function answerTo(socket: Socket, text: string): Promise<string> {
        socket.write(text);
        const [bytes] = await once(socket, 'data');
        return String(bytes);
    }

    it('forwards data and the end of a connection', async () => {
        const socket = await open();
        assert.equal(await answerTo(socket, 'hello'), 'hello');
        socket.end();
        await once(socket, 'end');
    });

    it('delays data in both directions', async () => {
        const socket = await open();
        proxy.delay(WHILE_MS);
        const began = performance.now();
        assert.equal(await answerTo(socket, 'hello'), 'hello');
        assert.ok(performance.now() - began >= 2 * WHILE_MS - 5);
        await proxy.heal();
        socket.destroy();
    });

    for (const directions of [['requests'], ['answers'], ['requests', 'answers']] as const) {
        it(`keeps back ${directions.join(' and ')}, and delivers them in order after heal()`, async () => {
            const socket = await open();
            assert.equal(await answerTo(socket, 'first'), 'first');
            proxy.blackHole(...directions);
            let received = '';
            socket.on('data', (bytes) => {
                received += bytes;
            });
            for (const text of ['one ', 'two ', 'three']) socket.write(text);
            await delay(WHILE_MS);
            assert.equal(received, '');
            await proxy.heal();
            while (received.length < 'one two three'.length) await once(socket, 'data');
            assert.equal(received, 'one two three');
            socket.destroy();
        });
    }

    it('refuses only new connections, and accepts them again after heal()', async () => {
        const socket = await open();
        await proxy.refuse();
        await assert.rejects(
            once(connect({ host: '127.0.0.1', port: proxy.port }), 'connect'),
            (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
        );
        assert.equal(await answerTo(socket, 'hello'), 'hello');
        await proxy.heal();
        const other = await open();
        assert.equal(await answerTo(other, 'hello'), 'hello');
        for (const one of [socket, other]) one.destroy();
    });

    it('resets every connection on cut()', async () => {
        const socket = await open();
        assert.equal(await answerTo(socket, 'hello'), 'hello');
        const failed = new Promise((resolve) => socket.once('close', resolve));
        proxy.cut();
        assert.equal(await failed, true); // closed by an error
    });
});
