import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { type Observed, observe } from './observe.ts';
import { IS_WHOLE, startTarget } from './target.ts';
import { answered, closed, dial, repeat, request, statusOf } from './wire.ts';

const target = await startTarget();
after(() => target.stop());
const [host = '', port] = target.ops.split(':');
const operations = { host, port: Number(port) };

function check(observed: Observed, what: string): void {
    assert.ok(observed.survived, `${what}: the process did not survive`);
    assert.deepEqual(observed.client.failures, [], `${what}: calls of an ordinary client failed`);
    assert.ok(observed.grownBytes < 200 << 20, `${what}: memory grew by ${observed.grownBytes} bytes`);
    if (IS_WHOLE) assert.ok(observed.client.p99 <= 1_000, `${what}: an ordinary client waited too long`);
}

for (const path of ['/metrics', '/readyz', '/nothing']) {
    it(`clients that request ${path} many times and read nothing do not delay other clients`, async () => {
        const clients = IS_WHOLE ? 200 : 30;
        const observed = await observe(target, () =>
            repeat(clients, clients, async () => {
                const socket = await dial(operations);
                socket.pause().write(request(`GET ${path}`).repeat(1_000));
                await closed(socket, 3_000);
                socket.destroy();
            }),
        );
        check(observed, path);
    });
}

it('requests that Node would refuse by itself do not block the event loop', async () => {
    const texts = ['GET / HTTP/1.1\r\n\r\n'.repeat(3_640), request('GET /', ['Expect: x']).repeat(1_500)];
    const clients = IS_WHOLE ? 200 : 30;
    const observed = await observe(target, () =>
        repeat(clients, clients, async (index) => {
            const socket = await dial(operations);
            socket.write(texts[index % 2] ?? '');
            await closed(socket, 3_000);
            socket.destroy();
        }),
    );
    check(observed, 'requests that Node would refuse');
});

it('connections that reset, tunnel, upgrade or send garbage do not stop the process', async () => {
    const texts = [
        'CONNECT x:1 HTTP/1.1\r\nHost: test\r\n\r\n',
        request('GET /livez', ['Connection: Upgrade', 'Upgrade: x']),
    ];
    const observed = await observe(target, () =>
        repeat(IS_WHOLE ? 500 : 50, 50, async (index) => {
            const socket = await dial(operations);
            socket.write(texts[index % 3] ?? '\0\x16\x03'.repeat(1_000));
            await new Promise((resolve) => setTimeout(resolve, index % 20));
            socket.resetAndDestroy();
        }),
    );
    check(observed, 'socket events');
});

for (const framing of ['Content-Length: 1000000', 'Transfer-Encoding: chunked']) {
    it(`a connection that announces a body is closed without an answer: ${framing}`, async () => {
        const socket = await dial(operations);
        assert.equal(await answered(socket, request('POST /livez', [framing])), undefined);
        assert.ok(socket.readableEnded || socket.destroyed);
        socket.destroy();
    });
}

it('a probe is answered while many connections are idle', async () => {
    const sockets = await Promise.all(Array.from({ length: 300 }, () => dial(operations)));
    assert.equal(await statusOf(operations, request('GET /livez')), 200);
    for (const socket of sockets) socket.destroy();
});
