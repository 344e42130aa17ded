import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startReading, stopReading } from '../../../../platform/http/socket-reading.ts';

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());

/** Both ends of a connection, and the data that has arrived at the server. */
async function connection() {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [socket] = (await once(server, 'connection')) as [Socket];
    let received = '';
    socket.on('data', (chunk) => {
        received += chunk;
    });
    after(() => client.destroy());
    return { client, socket, received: () => received };
}

it('a socket is not read while its reading is stopped', async () => {
    const { client, socket, received } = await connection();
    stopReading(socket);
    client.write('one');
    await delay(50);
    assert.equal(received(), '');
    startReading(socket);
    await once(socket, 'data');
    assert.equal(received(), 'one');
});
