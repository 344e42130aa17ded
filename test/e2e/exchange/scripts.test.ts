import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_HEADERS } from '../../../gateway/http/exchange.ts';
import { GATEWAYS } from '../support/client.ts';
import { exchange, requestText } from '../support/socket.ts';

const origin = 'https://wallet.example';
const ISSUER = '01a1fac9-0f21-7000-9d3e-8b7c6a5f4e3d';
/** The paths that wallets call, with their method and the name of errors that are about the request itself. */
const CALLED = {
    [`/issuers/${ISSUER}/offers/x`]: ['GET', 'invalid_request'],
    [`/issuers/${ISSUER}/token`]: ['POST', 'invalid_request'],
    [`/issuers/${ISSUER}/nonce`]: ['POST', 'invalid_request'],
    [`/issuers/${ISSUER}/credential`]: ['POST', 'invalid_credential_request'],
    [`/issuers/${ISSUER}/notification`]: ['POST', 'invalid_notification_request'],
} as const;
/** The public documents that wallets read. */
const READ = [
    `/.well-known/openid-credential-issuer/issuers/${ISSUER}`,
    `/.well-known/oauth-authorization-server/issuers/${ISSUER}`,
    `/issuers/${ISSUER}/did.json`,
] as const;
const METHODS = [
    ...Object.entries(CALLED).map(([path, [method]]) => [path, method]),
    ...READ.map((path) => [path, 'GET']),
];

/** The answer to a script of a web page, which may read it. */
async function ask(path: string, method: string, headers: Record<string, string> = {}) {
    const answer = await fetch(`${GATEWAYS[0]}${path}`, { method, headers: { origin, ...headers } });
    assert.equal(answer.headers.get('access-control-allow-origin'), '*', `${method} ${path}`);
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

describe('a script of any web page', () => {
    for (const [path = '', method = ''] of METHODS) {
        it(`may call ${method} ${path.replace(ISSUER, '…')}, and learns so by a preflight`, async () => {
            const { status, headers } = await ask(path, 'OPTIONS', { 'access-control-request-method': method });
            assert.equal(status, 200);
            assert.ok(headers.get('access-control-allow-methods')?.includes(method));
            assert.match(headers.get('access-control-allow-headers') ?? '', /DPoP/);
            await ask(path, method);
        });
    }

    it('reads why its request is refused before it has a route, in the form of the other errors of the path', async () => {
        const two = (name: string) => [`${name}: Bearer x`, `${name}: Bearer y`];
        const fields = (length: number) => Array.from({ length }, (_, at) => `X-${at}: x`);
        const cases: ReadonlyArray<readonly [status: number, headers: readonly string[]]> = [
            [400, two('Authorization')],
            [400, two('Host')],
            [400, ['Transfer-Encoding: gzip']],
            ...[0, 90].map((more) => [431, fields(MAX_HEADERS + more)] as const),
        ];
        for (const [path = '', method = ''] of METHODS) {
            const called = Object.entries(CALLED).find(([one]) => one === path)?.[1];
            for (const [status, sent] of cases) {
                const answer = await exchange(requestText(`${method} ${path}`, [...sent, `Origin: ${origin}`]));
                assert.ok(answer);
                assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [status, '*'], path);
                const { error, error_description: detail, ...more } = JSON.parse(answer.body);
                if (called) assert.deepEqual([error, typeof detail, more], [called[1], 'string', {}]);
                else assert.equal(more.status, 'error');
            }
        }
    });

    it('reads why a method is refused, in the form of the other errors of the path', async () => {
        for (const [path, [method, error]] of Object.entries(CALLED)) {
            const allowed = method === 'GET' ? 'GET, HEAD' : 'POST';
            for (const wrong of [method === 'GET' ? 'POST' : 'GET', 'PUT', 'OPTIONS']) {
                const { status, headers, body } = await ask(path, wrong);
                assert.deepEqual([status, headers.get('allow')], [405, allowed], `${wrong} ${path}`);
                assert.deepEqual(body, { error, error_description: `This path accepts ${allowed}.` });
            }
        }
        for (const path of READ) {
            const { status, headers, body } = await ask(path, 'POST');
            assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD']);
            assert.equal((body as { error: string }).error, 'This path accepts GET, HEAD.');
        }
    });
});
