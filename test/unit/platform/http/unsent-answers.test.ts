import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { it } from 'node:test';
import { hasStalled, newConnection } from '../../../../platform/http/unsent-answers.ts';

it('a connection has stalled if its client finishes reading no part of an answer for 30 s', async (t) => {
    const server = createServer((_request, response) => response.end(Buffer.alloc(16 << 20))).listen(0);
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port); // it listens on TCP
    t.after(() => {
        client.destroy();
        server.close();
    });
    const [accepted] = (await once(server, 'connection')) as [Socket];
    const connection = newConnection(accepted);
    client.pause().write('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
    while (accepted.writableLength === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const now = performance.now();
    assert.ok(!hasStalled(connection, now), 'the answer has just been written');
    assert.ok(!hasStalled(connection, now + 29_000));
    assert.ok(hasStalled(connection, now + 31_000));
    client.resume();
    while (accepted.writableLength > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.ok(!hasStalled(connection, now + 32_000), 'the client has read');
});
