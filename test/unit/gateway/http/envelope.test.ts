import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { writeStream } from '../../../../gateway/http/envelope.ts';

test('an answer that is in memory counts as unsent while its client does not read', async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    t.after(() => {
        client.destroy();
        server.close();
    });
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    const piece = `"${'x'.repeat(1 << 20)}"`;
    async function* pieces() {
        yield '[';
        for (let count = 0; count < 32; count++) yield `${count === 0 ? '' : ','}${piece}`;
        yield ']';
    }
    await writeStream(response, { status: 200, message: 'm', pieces: pieces(), headers: {}, isInMemory: true });
    assert.ok(response.writableLength > 16 << 20, `${response.writableLength} bytes are unsent`);
});
