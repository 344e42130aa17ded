import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { expectOk, GATEWAYS } from '../../../e2e/support/client.ts';
import { assertRefused, open, requestText, withConnection } from '../../../e2e/support/socket.ts';
import { newAccount, newKey } from '../../../e2e/support/world.ts';

const { api_key } = await newKey(await newAccount());
const KEY = `Authorization: Bearer ${api_key}`;
const JSON_TYPE = 'Content-Type: application/json';

describe('a body that fails during its transfer', () => {
    it('is answered exactly once', () =>
        withConnection(async (connection) => {
            connection.write(
                requestText('POST /v1/did', [KEY, JSON_TYPE, 'Transfer-Encoding: chunked'], '2\r\n{}\r\n'),
            );
            await delay(20); // the gateway waits for the rest when the fault arrives
            connection.write('zz\r\n');
            const answer = await connection.next();
            assertRefused(answer, 400);
            assert.ok(answer?.headers['x-request-id']);
            await connection.closed();
            assert.equal(await connection.next(), undefined);
        }));

    it('is not answered again if it was already refused', () =>
        withConnection(async (connection) => {
            connection.write(requestText('POST /v1/did', [JSON_TYPE, 'Transfer-Encoding: chunked']));
            assertRefused(await connection.next(), 401);
            connection.write('zz\r\n');
            await connection.closed();
            assert.equal(await connection.next(), undefined);
        }));

    it('is refused if its sender ends the connection too early', () =>
        withConnection(async (connection) => {
            connection.write(requestText('POST /v1/did', [KEY, JSON_TYPE, 'Content-Length: 10'], '{}'));
            connection.end();
            assertRefused(await connection.next(), 400);
            await connection.closed();
        }));

    it('does not harm the service if its sender disappears', async () => {
        for (let index = 0; index < 20; index++) {
            const connection = open();
            connection.write(requestText('POST /v1/did', [KEY, JSON_TYPE, 'Content-Length: 10'], '{}'));
            await delay(index);
            connection.destroy();
        }
        await expectOk(200, { path: '/internal/health' }).catch(() => assert.fail('the service does not answer'));
    });
});

describe('a slow client', { concurrency: true }, () => {
    it('gets 408 if its header does not arrive in time', () =>
        withConnection(async (connection) => {
            connection.write('GET /internal/health HTTP/1.1\r\nHost: te');
            assertRefused(await connection.next(), 408);
            await connection.closed();
        }));

    it('gets exactly one 408 if its body does not arrive in time', () =>
        withConnection(async (connection) => {
            connection.write(requestText('POST /v1/did', [KEY, JSON_TYPE, 'Content-Length: 10'], '{'));
            assertRefused(await connection.next(), 408);
            await connection.closed();
            assert.equal(await connection.next(), undefined);
        }));

    it('is served if its body arrives in time', () =>
        withConnection(async (connection) => {
            connection.write(requestText('POST /v1/did', [KEY, JSON_TYPE, 'Content-Length: 2'], '{'));
            await delay(11_000); // longer than the deadline of a call, shorter than the timeout of a request
            connection.write('}');
            assert.equal((await connection.next())?.status, 201);
        }));

    it('is disconnected if it continues to send a refused body', () =>
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

/** Sends a whole body, even if the answer comes before its end. Returns the status. */
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
