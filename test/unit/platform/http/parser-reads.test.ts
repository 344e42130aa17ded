import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { it } from 'node:test';
import { onEachRead } from '../../../../platform/http/parser-reads.ts';

it('each read of a connection is reported, even if it completes no request', { timeout: 30_000 }, async (t) => {
    let reads = 0;
    let requests = 0;
    const server = createServer((_request, response) => {
        requests++;
        response.end();
    });
    server.on('connection', (socket: Socket) => onEachRead(socket, () => reads++));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1'); // it listens on TCP
    t.after(() => {
        socket.destroy();
        server.close();
    });
    const texts = [
        '\r\n',
        'GET / HTTP/1.1\r\n',
        'Host: a\r\n',
        'Transfer-Encoding: chunked\r\n\r\n',
        '0\r\n',
        'Trailer: b\r\n',
    ];
    for (const [index, text] of texts.entries()) {
        socket.write(text);
        while (reads === index) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.deepEqual({ reads, requests }, { reads: texts.length, requests: 1 });
});
