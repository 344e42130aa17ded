import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { writeLines, writeStream } from '../../../../gateway/http/envelope.ts';
import { until } from '../../../support/until.ts';

/** A request whose client reads nothing of the answer until the test says so. */
async function unread(t: TestContext) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    t.after(() => {
        client.destroy();
        server.close();
    });
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    return { client, response };
}

/** Groups of 1 MiB. `read` says how many have been read. */
function manyGroups() {
    const state = { read: 0 };
    async function* groups() {
        for (; state.read < GROUPS; ) {
            state.read++;
            yield `"${'x'.repeat(1 << 20)}"\n`;
        }
    }
    return { state, groups: groups() };
}

const GROUPS = 64;
const isWaiting = (response: ServerResponse) => () => response.listenerCount('drain') > 0;

test('lines that wait are read one group at a time while their client does not read, and go on when it does', async (t) => {
    const { client, response } = await unread(t);
    const { state, groups } = manyGroups();
    const written = writeLines(response, { status: 200, groups, headers: () => ({}), waits: true });
    await until('the writer waits', isWaiting(response));
    assert.ok(state.read < GROUPS / 2, `${state.read} groups were read`);
    assert.ok(response.writableLength < 2 << 20, `${response.writableLength} bytes are unsent`);
    client.resume();
    await written;
    assert.equal(state.read, GROUPS);
});

test('lines are not read on when their client has disconnected', async (t) => {
    const { client, response } = await unread(t);
    const { state, groups } = manyGroups();
    const written = writeLines(response, { status: 200, groups, headers: () => ({}), waits: true });
    await until('the writer waits', isWaiting(response));
    const { read } = state;
    client.destroy();
    await written;
    assert.equal(state.read, read);
});

test('an answer that is in memory counts as unsent while its client does not read', async (t) => {
    const { response } = await unread(t);
    const piece = `"${'x'.repeat(1 << 20)}"`;
    async function* pieces() {
        yield '[';
        for (let count = 0; count < 32; count++) yield `${count === 0 ? '' : ','}${piece}`;
        yield ']';
    }
    await writeStream(response, { status: 200, message: 'm', pieces: pieces(), headers: {}, isInMemory: true });
    assert.ok(response.writableLength > 16 << 20, `${response.writableLength} bytes are unsent`);
});
