import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { expectOk } from '../support/client.ts';
import { assertRefused, type Connection, open, requestText, withConnection } from '../support/socket.ts';
import { newAccount, newKey } from '../support/world.ts';

const { api_key } = await newKey(await newAccount());
const KEY = `Authorization: Bearer ${api_key}`;
const JSON_TYPE = 'Content-Type: application/json';
const HEALTH = requestText('GET /internal/health');

async function statuses(connection: Connection, count: number): Promise<Array<number | undefined>> {
    const seen = [];
    for (let index = 0; index < count; index++) seen.push((await connection.next())?.status);
    return seen;
}

const create = (body = '{}') => requestText('POST /v1/did', [KEY, JSON_TYPE, `Content-Length: ${body.length}`], body);

describe('requests on one connection', () => {
    it('are answered in order when they are sent at once', () =>
        withConnection(async (connection) => {
            const requests = [create(), requestText('GET /nowhere'), create('{'), HEALTH, create(), create('[]')];
            connection.write(requests.join('').repeat(5));
            assert.deepEqual(
                await statuses(connection, 30),
                Array.from({ length: 5 }, () => [201, 404, 400, 200, 201, 400]).flat(),
            );
        }));

    it('are answered even if bytes that are not HTTP follow them', () =>
        withConnection(async (connection) => {
            connection.write(`${create()}${create()}GARBAGE\r\n\r\n`);
            assert.deepEqual(await statuses(connection, 2), [201, 201]);
            assertRefused(await connection.next(), 400);
            await connection.closed();
        }));

    for (const body of ['{', '{"public_key":5}', '[]', '"text"']) {
        it(`continue after the body ${body} was refused`, () =>
            withConnection(async (connection) => {
                connection.write(create(body));
                assertRefused(await connection.next(), 400);
                connection.write(create());
                assert.equal((await connection.next())?.status, 201);
            }));
    }

    it('continue after a refusal that came before the body', () =>
        withConnection(async (connection) => {
            connection.write(requestText('POST /v1/did', [JSON_TYPE, 'Content-Length: 10']));
            assertRefused(await connection.next(), 401);
            connection.write(`0123456789${create()}`);
            assert.equal((await connection.next())?.status, 201);
        }));

    it('end after one with Connection: close', () =>
        withConnection(async (connection) => {
            connection.write(requestText('GET /nowhere', ['Connection: close']) + HEALTH);
            assertRefused(await connection.next(), 404);
            await connection.closed();
            assert.equal(await connection.next(), undefined);
        }));
});

describe('requests that are sent at once on one connection', () => {
    it('are all answered if there are 64 of them', () =>
        withConnection(async (connection) => {
            connection.write(HEALTH.repeat(64));
            assert.deepEqual(await statuses(connection, 64), Array(64).fill(200));
        }));

    it('end this connection and no other one if there are 2,000 of them', async () => {
        await withConnection(async (connection) => {
            connection.write(create().repeat(2_000));
            await connection.closed(10_000);
        });
        await expectOk(200, { path: '/internal/health' });
    });
});

describe('a client that ends its side of the connection', () => {
    it('before the answer gets none, and its connection is closed', () =>
        withConnection(async (connection) => {
            connection.write(create());
            connection.end();
            await connection.closed();
            assert.equal(await connection.next(), undefined);
        }));

    it('after the answer has received it', () =>
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
        it(`always reaches a client that continues to send: ${what}`, async () => {
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

it('an offer to upgrade is answered without an upgrade, and then its connection is closed', () =>
    withConnection(async (connection) => {
        connection.write(requestText('GET /internal/health', ['Connection: Upgrade', 'Upgrade: h2c']));
        const answer = await connection.next();
        assert.deepEqual([answer?.status, answer?.headers['connection']], [200, 'close']);
        await connection.closed(4_000);
    }));

it('CONNECT is refused after the answers to earlier requests', () =>
    withConnection(async (connection) => {
        connection.write(`${create()}CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n`);
        assert.equal((await connection.next())?.status, 201);
        assertRefused(await connection.next(), 405);
        await connection.closed(4_000);
    }));

it('hundreds of idle connections do not delay other clients', async () => {
    const idle = Array.from({ length: 400 }, () => open());
    for (const connection of idle.slice(200)) connection.write('GET /internal/health HTTP/1.1\r\n');
    const began = performance.now();
    await expectOk(201, { method: 'POST', path: '/v1/did', token: api_key });
    assert.ok(performance.now() - began < 1_000);
    for (const connection of idle) connection.destroy();
});
