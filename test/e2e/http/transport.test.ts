import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectOk, INTERNAL_SECRET } from '../support/client.ts';
import { assertRefused, exchange, requestText } from '../support/socket.ts';
import { newAccount, newKey } from '../support/world.ts';

const account = await newAccount();
const { api_key } = await newKey(account);
const session = `Authorization: Bearer ${account.token}`;
const KEY = `Authorization: Bearer ${api_key}`;
const SECRET = `X-Internal-Secret: ${INTERNAL_SECRET}`;
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';
const health = (headers: string[] = []) => requestText('GET /internal/health', headers);
const create = (headers: string[], body = '{}') => requestText('POST /v1/did', [KEY, JSON_TYPE, ...headers], body);
const withBody = (start: string, body: string, ...headers: string[]) =>
    requestText(start, [...headers, JSON_TYPE, `Content-Length: ${body.length}`], body);

describe('malformed HTTP:', () => {
    const refused: Array<[what: string, status: number, request: string]> = [
        ['Content-Length with a chunked body', 400, create(['Content-Length: 2', CHUNKED], '2\r\n{}\r\n0\r\n\r\n')],
        ['a Content-Length with a sign', 400, create(['Content-Length: +2'])],
        ['a negative Content-Length', 400, create(['Content-Length: -1'])],
        ['a hexadecimal Content-Length', 400, create(['Content-Length: 0x2'])],
        ['a list of lengths', 400, create(['Content-Length: 2,2'])],
        ['Content-Length twice', 400, create(['Content-Length: 2', 'Content-Length: 2'])],
        ['an empty Content-Length', 400, create(['Content-Length: '])],
        ['a Content-Length too large for a number', 400, create(['Content-Length: 99999999999999999999999'])],
        ['an invalid chunk size', 400, create([CHUNKED], 'zz\r\n{}\r\n0\r\n\r\n')],
        ['a chunk longer than its size', 400, create([CHUNKED], '2\r\n{}{}\r\n0\r\n\r\n')],
        ['a chunk extension without end', 400, create([CHUNKED], `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
        ['another transfer coding', 400, create(['Transfer-Encoding: gzip, chunked'], '2\r\n{}\r\n0\r\n\r\n')],
        ['an unknown transfer coding', 400, create(['Transfer-Encoding: xchunked'], '2\r\n{}\r\n0\r\n\r\n')],
        ['a blank before the colon', 400, health(['X-A : 1'])],
        ['a folded header', 400, health(['X-A: 1', ' 2'])],
        ['a bare line feed', 400, 'GET /internal/health HTTP/1.1\nHost: test\n\n'],
        ['a NUL in a header', 400, health(['X-A: \0'])],
        ['no Host', 400, 'GET /internal/health HTTP/1.1\r\n\r\n'],
        ['two Hosts', 400, health(['Host: test'])],
        ['an invalid Host', 400, 'GET /internal/health HTTP/1.1\r\nHost: a b/<c>\r\n\r\n'],
        ['HTTP/0.9', 400, 'GET /internal/health\r\n\r\n'],
        ['HTTP/2 without TLS', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
        ['HTTP/2.0 on an ordinary request', 400, 'GET /internal/health HTTP/2.0\r\nHost: test\r\n\r\n'],
        ['an unknown method', 400, requestText('FOO /internal/health')],
        ['a method in lower case', 400, requestText('get /internal/health')],
        ['a NUL in the path', 400, requestText('GET /internal/\0health')],
        ['a TLS handshake', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
        ['17 KiB of header', 431, health([`X-A: ${'a'.repeat(17 << 10)}`])],
        ['a path of 17 KiB', 431, requestText(`GET /v1/did/${'a'.repeat(17 << 10)}`, [KEY])],
        ['101 header fields', 431, health(Array.from({ length: 100 }, (_, index) => `X-${index}: 1`))],
        ['3,000 header fields', 431, health(Array.from({ length: 2_999 }, (_, index) => `${index.toString(36)}:`))],
    ];
    for (const [what, status, request] of refused) {
        it(`${what} is refused in the envelope with ${status}`, async () => {
            assertRefused(await exchange(Buffer.from(request, 'latin1')), status);
            await expectOk(200, { path: '/internal/health' }).catch(() => assert.fail('the service does not answer'));
        });
    }
});

describe('unusual but well-formed HTTP:', () => {
    const accepted: Array<[what: string, status: number, request: string]> = [
        ['HTTP/1.0', 200, 'GET /internal/health HTTP/1.0\r\nHost: test\r\n\r\n'],
        ['HTTP/1.0 without a Host', 200, 'GET /internal/health HTTP/1.0\r\n\r\n'],
        ['a target with scheme and host', 200, requestText('GET http://elsewhere:99/internal/health?x=1')],
        ['empty lines before the request', 200, `\r\n\r\n${health()}`],
        ['an offer to upgrade', 200, health(['Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQA'])],
        ['100 header fields', 200, health(Array.from({ length: 99 }, (_, index) => `X-${index}: 1`))],
        ['a path of 15,000 characters', 400, requestText(`GET /v1/did/${'a'.repeat(15_000)}`, [KEY])],
        ['Expect: 100-continue', 201, create(['Expect: 100-continue', 'Content-Length: 2'])],
        ['an unknown expectation', 201, create(['Expect: miracles', 'Content-Length: 2'])],
        ['a body in chunks with extension and trailer', 201, create([CHUNKED], '2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n')],
        ['a chunked body in pieces', 201, create([CHUNKED], '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n')],
        ['a method override', 201, create(['X-HTTP-Method-Override: DELETE', 'Content-Length: 2'])],
        ['a preference for HTML', 200, health(['Accept: text/html', 'Accept-Encoding: br', 'Accept-Language: de'])],
        ['a range request', 200, health(['Range: bytes=0-1'])],
        [
            'a conditional request',
            200,
            health(['If-None-Match: *', 'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT']),
        ],
        [
            'headers that name another host',
            200,
            health(['X-Forwarded-Host: evil', 'X-Original-URL: /v1/me', 'Forwarded: host=evil']),
        ],
        ['a declared length of 0', 201, create(['Content-Length: 0'], '')],
        ['GET with a body', 200, withBody('GET /internal/health', '{"a":1}')],
        ['GET with a body that is not JSON', 400, withBody('GET /internal/health', '{')],
        [
            'GET without its bearer token, with a body that is not JSON',
            401,
            withBody('GET /internal/v1/auth/me', '{', SECRET),
        ],
        ['DELETE with a body that is not JSON', 400, withBody('DELETE /v1/keys/x', '{', session)],
        ['DELETE with a body', 404, withBody('DELETE /v1/keys/x', '{"a":1}', session)],
        ['OPTIONS *', 404, requestText('OPTIONS *')],
        ['a target with an invalid host', 404, requestText('GET http://[x/nowhere')],
        ['a target that is only a scheme', 404, requestText('GET http://')],
        ['TRACE', 405, requestText('TRACE /internal/health')],
    ];
    for (const [what, status, request] of accepted) {
        it(`${what} is answered with ${status}`, async () => {
            const answer = await exchange(request);
            assert.equal(answer?.status, status, answer?.body);
            assert.equal(answer?.headers['content-type'], 'application/json; charset=utf-8');
            assert.match(answer?.headers['x-ratelimit-remaining'] ?? '', /^\d+$/);
            if (status >= 400) assertRefused(answer, status);
        });
    }

    it('headers that Connection names are read as usual', async () => {
        const hop = ['Connection: close, Authorization, X-Internal-Secret'];
        assert.equal((await exchange(create([...hop, 'Content-Length: 2'])))?.status, 201);
        const register = requestText('POST /internal/v1/auth/register', [...hop, JSON_TYPE, 'Content-Length: 2'], '{}');
        assertRefused(await exchange(register), 401);
    });

    it('CONNECT opens no tunnel', async () => {
        assertRefused(await exchange(requestText('CONNECT elsewhere:80')), 405);
    });
});
