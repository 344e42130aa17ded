import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { expectOk, GATEWAYS } from './client.ts';
import { assertRefused, type Connection, open, requestText } from './socket.ts';
import { newAccount, newKey } from './world.ts';

const { api_key } = await newKey(await newAccount());
const KEY = `Authorization: Bearer ${api_key}`;
const JSON_TYPE = 'Content-Type: application/json';
const HEALTH = requestText('GET /internal/health');

/** A connection that is gone when the test is done. */
async function withConnection(use: (connection: Connection) => Promise<void>): Promise<void> {
    const connection = open();
    try {
        await use(connection);
    } finally {
        connection.destroy();
    }
}

async function statuses(connection: Connection, count: number): Promise<Array<number | undefined>> {
    const seen = [];
    for (let index = 0; index < count; index++) seen.push((await connection.next())?.status);
    return seen;
}

const create = (body = '{}') => requestText('POST /v1/did', [KEY, JSON_TYPE, `Content-Length: ${body.length}`], body);

describe('requests on one connection', () => {
    it('are answered in their order when they are sent at once', () =>
        withConnection(async (connection) => {
            const requests = [create(), requestText('GET /nowhere'), create('{'), HEALTH, create(), create('[]')];
            connection.write(requests.join('').repeat(5));
            assert.deepEqual(
                await statuses(connection, 30),
                Array.from({ length: 5 }, () => [201, 404, 400, 200, 201, 400]).flat(),
            );
        }));

    it('keep their answers when what follows is no HTTP', () =>
        withConnection(async (connection) => {
            connection.write(`${create()}${create()}GARBAGE\r\n\r\n`);
            assert.deepEqual(await statuses(connection, 2), [201, 201]);
            assertRefused(await connection.next(), 400);
            await connection.closed();
        }));

    for (const body of ['{', '{"public_key":5}', '[]', '"text"']) {
        it(`go on after the body ${body} was refused`, () =>
            withConnection(async (connection) => {
                connection.write(create(body));
                assertRefused(await connection.next(), 400);
                connection.write(create());
                assert.equal((await connection.next())?.status, 201);
            }));
    }

    it('go on after a refusal that came before the body', () =>
        withConnection(async (connection) => {
            connection.write(requestText('POST /v1/did', [JSON_TYPE, 'Content-Length: 10']));
            assertRefused(await connection.next(), 401);
            connection.write(`0123456789${create()}`);
            assert.equal((await connection.next())?.status, 201);
        }));

    it('end after a closed one', () =>
        withConnection(async (connection) => {
            connection.write(requestText('GET /nowhere', ['Connection: close']) + HEALTH);
            assertRefused(await connection.next(), 404);
            await connection.closed();
            assert.equal(await connection.next(), undefined);
        }));
});

describe('too many requests at once on one connection', () => {
    it('are the 65th and later: 64 are answered', () =>
        withConnection(async (connection) => {
            connection.write(HEALTH.repeat(64));
            assert.deepEqual(await statuses(connection, 64), Array(64).fill(200));
        }));

    it('end the connection, and no other one', async () => {
        await withConnection(async (connection) => {
            connection.write(create().repeat(2_000));
            await connection.closed(10_000);
        });
        await expectOk(200, { path: '/internal/health' });
    });
});

describe('a client that ends its side of the connection', () => {
    it('before the answer counts as gone: its connection is closed without one', () =>
        withConnection(async (connection) => {
            connection.write(create());
            connection.end();
            await connection.closed();
            assert.equal(await connection.next(), undefined);
        }));

    it('after the answer has it', () =>
        withConnection(async (connection) => {
            connection.write(create());
            assert.equal((await connection.next())?.status, 201);
            connection.end();
            await connection.closed();
        }));
});

describe('a refusal by the parser', () => {
    for (const [what, start, more, status] of [
        ['a header that is too large', `GET / HTTP/1.1\r\nHost: test\r\nA: ${'a'.repeat(16 << 10)}`, 'a', 431],
        [
            'Transfer-Encoding beside Content-Length',
            requestText('POST /v1/did', [KEY, 'Content-Length: 5', 'Transfer-Encoding: chunked']),
            '5\r\nhello\r\n',
            400,
        ],
    ] as const) {
        it(`reaches a client that goes on sending, every time: ${what}`, async () => {
            for (let round = 0; round < 40; round++) {
                await withConnection(async (connection) => {
                    connection.write(start);
                    for (let piece = 0; piece < 20; piece++) {
                        connection.write(more.repeat(1_000));
                        await delay(0);
                    }
                    assertRefused(await connection.next(), status);
                });
            }
        });
    }
});

it('a refused HEAD is answered before its body has arrived', () =>
    withConnection(async (connection) => {
        connection.write(requestText('HEAD /v1/keys', ['Content-Length: 1000']));
        assert.equal(await connection.status(), 401);
    }));

it('CONNECT is refused behind the answers to what came before it', () =>
    withConnection(async (connection) => {
        connection.write(`${create()}CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n`);
        assert.equal((await connection.next())?.status, 201);
        assertRefused(await connection.next(), 405);
        await connection.closed(4_000);
    }));

describe('a body that fails on its way', () => {
    it('is answered once, whoever notices first', () =>
        withConnection(async (connection) => {
            connection.write(
                requestText('POST /v1/did', [KEY, JSON_TYPE, 'Transfer-Encoding: chunked'], '2\r\n{}\r\n'),
            );
            await delay(20); // so that the request is being waited for when the fault arrives
            connection.write('zz\r\n');
            const answer = await connection.next();
            assertRefused(answer, 400);
            assert.ok(answer?.headers['x-request-id']);
            await connection.closed();
            assert.equal(await connection.next(), undefined);
        }));

    it('is not answered again when it was refused before', () =>
        withConnection(async (connection) => {
            connection.write(requestText('POST /v1/did', [JSON_TYPE, 'Transfer-Encoding: chunked']));
            assertRefused(await connection.next(), 401);
            connection.write('zz\r\n');
            await connection.closed();
            assert.equal(await connection.next(), undefined);
        }));

    it('is refused when its sender ends too early', () =>
        withConnection(async (connection) => {
            connection.write(requestText('POST /v1/did', [KEY, JSON_TYPE, 'Content-Length: 10'], '{}'));
            connection.end();
            assertRefused(await connection.next(), 400);
            await connection.closed();
        }));

    it('does no harm when its sender vanishes', async () => {
        for (let index = 0; index < 20; index++) {
            const connection = open();
            connection.write(requestText('POST /v1/did', [KEY, JSON_TYPE, 'Content-Length: 10'], '{}'));
            await delay(index);
            connection.destroy();
        }
        await expectOk(200, { path: '/internal/health' }).catch(() => assert.fail('the service is gone'));
    });
});

it('hundreds of idle connections keep nobody waiting', async () => {
    const idle = Array.from({ length: 400 }, () => open());
    for (const connection of idle.slice(200)) connection.write('GET /internal/health HTTP/1.1\r\n');
    const began = performance.now();
    await expectOk(201, { method: 'POST', path: '/v1/did', token: api_key });
    assert.ok(performance.now() - began < 1_000);
    for (const connection of idle) connection.destroy();
});

describe('a client that takes its time', { concurrency: true }, () => {
    it('with the header gets 408', () =>
        withConnection(async (connection) => {
            connection.write('GET /internal/health HTTP/1.1\r\nHost: te');
            assertRefused(await connection.next(), 408);
            await connection.closed();
        }));

    it('with the body gets one 408', () =>
        withConnection(async (connection) => {
            connection.write(requestText('POST /v1/did', [KEY, JSON_TYPE, 'Content-Length: 10'], '{'));
            assertRefused(await connection.next(), 408);
            await connection.closed();
            assert.equal(await connection.next(), undefined);
        }));

    it('with a body that stays within the time is served', () =>
        withConnection(async (connection) => {
            connection.write(requestText('POST /v1/did', [KEY, JSON_TYPE, 'Content-Length: 2'], '{'));
            await delay(11_000); // longer than a call may take, shorter than a request may arrive
            connection.write('}');
            assert.equal((await connection.next())?.status, 201);
        }));

    it('with a body that nobody reads is cut off', () =>
        withConnection(async (connection) => {
            connection.write(requestText('POST /v1/did', [JSON_TYPE, 'Content-Length: 10'], '{'));
            assertRefused(await connection.next(), 401);
            await connection.closed(8_000);
        }));
});

describe('an answer that comes before the end of a long body', () => {
    const MIB = 1 << 20;
    for (const [what, token, size, status] of [
        ['too large', api_key, 2 * MIB, 413],
        ['far too large', api_key, 20 * MIB, 413],
        ['unauthenticated', 'wrong', 2 * MIB, 401],
    ] as const) {
        for (const chunked of [false, true]) {
            it(`reaches the client every time: ${what}, ${chunked ? 'in chunks' : 'with its length'}`, async () => {
                for (let round = 0; round < 8; round++) {
                    assert.equal(await upload({ token, size, chunked, keep: round % 2 === 0 }), status);
                }
            });
        }
    }
});

/** Writes a whole body, whatever is answered meanwhile, and gives the status. */
function upload(options: {
    token: string;
    size: number;
    chunked: boolean;
    keep: boolean;
}): Promise<number | undefined> {
    const { token, size, chunked, keep } = options;
    return new Promise((resolve, reject) => {
        const headers: Record<string, string | number> = {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            connection: keep ? 'keep-alive' : 'close',
        };
        if (!chunked) headers['content-length'] = size;
        const request = httpRequest(`${GATEWAYS[0]}/v1/did`, { method: 'POST', headers, agent: false });
        request.on('error', reject);
        request.on('response', (response) => {
            response
                .resume()
                .on('end', () => resolve(response.statusCode))
                .on('error', reject);
        });
        for (let sent = 0; sent < size; sent += 1 << 16) request.write(Buffer.alloc(1 << 16, ' '));
        request.end();
    });
}
