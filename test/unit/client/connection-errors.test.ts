import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { ConnectionError, connectionError, sendingError } from '../../../client/src/errors.ts';
import { pickPort } from '../../../deploy/local/ports.ts';

/** The error that Node's `fetch` throws for an error of its socket. */
async function told(socket: Socket): Promise<Error> {
    const [cause] = await once(socket, 'error');
    return new TypeError('fetch failed', { cause });
}

test('a request to a name with several addresses was never sent if none of them accepts a connection', async () => {
    const port = await pickPort();
    const socket = connect({
        port,
        host: 'two.example',
        autoSelectFamily: true,
        lookup: (_name, _options, done) =>
            done(null, [
                { address: '127.0.0.1', family: 4 },
                { address: '127.0.0.2', family: 4 },
            ]),
    });
    const error = await told(socket).catch((thrown: Error) => thrown);
    assert.ok(error.cause instanceof AggregateError, 'this tests nothing without two attempts');
    assert.equal(connectionError(error).never_sent, true);
});

test('a request to an unknown name was never sent', async () => {
    const socket = connect({
        port: 80,
        host: 'nobody.example',
        lookup: (name, _options, done) =>
            done(
                Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {
                    code: 'ENOTFOUND',
                    syscall: 'getaddrinfo',
                }),
                '',
            ),
    });
    assert.equal(connectionError(await told(socket)).never_sent, true);
});

test('a request on a connection that was reset may have been sent', async (t) => {
    const server = createServer((accepted) => accepted.once('data', () => accepted.resetAndDestroy()));
    server.listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const address = server.address();
    const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\n');
    assert.equal(connectionError(await told(socket)).never_sent, false);
});

test('a request may have been sent if a browser only says that fetch failed', () => {
    assert.equal(connectionError(new TypeError('Failed to fetch')).never_sent, false);
});

test('a lost connection is not reported as a URL that fetch refuses to call', async () => {
    const socket = connect(await pickPort(), '127.0.0.1');
    assert.ok(sendingError(await told(socket), 'http://127.0.0.1') instanceof ConnectionError);
    assert.ok(sendingError(new TypeError('Failed to fetch'), 'http://127.0.0.1') instanceof ConnectionError);
});
