import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointTable } from '../../../gateway/endpoints/index.ts';
import { expectError, expectOk, send } from '../support/client.ts';
import { exchange, requestText } from '../support/socket.ts';
import { anIssued, newAccount } from '../support/world.ts';

const account = await newAccount();
const issued = await anIssued();
const { token, issuer } = issued;

/** Endpoints by path, with `x` for each path parameter. */
const paths = Map.groupBy(endpointTable({ version: '', cache: async () => {}, clock: Date.now }), ({ path }) =>
    path.replaceAll(/\{\w+\}/g, 'x'),
);

describe('routing', () => {
    const nowhere = [
        '/',
        '/v1',
        '/v1/',
        '/v1/nothing',
        '/v2/did',
        '/internal',
        '/internal/v1/nothing',
        '/V1/did',
        '/v1/DID',
        '/v1/did/',
        '/v1//did',
        '//v1/did',
        '/v1/did/x/document/',
        '/v1/did/x/other',
        '/v1/credentials/status',
        '/internal/health/',
        '/%76%31/did',
        '/index.html',
        '/v1/nothing/%zz',
    ];
    for (const path of nowhere) {
        it(`answers 404 for ${path}, with and without a credential`, async () => {
            for (const method of ['GET', 'POST', 'PUT']) {
                const answer = await expectError(404, { method, path });
                assert.equal(answer.headers.get('x-error-code'), 'not_found');
                await expectError(404, { method, path, token, internal: true });
            }
        });
    }

    for (const [path, endpoints] of paths) {
        it(`answers 405 with the accepted methods for any other method of ${path}`, async () => {
            const problem = endpoints[0]?.problem;
            const accepted = new Set<string>(endpoints.map(({ method }) => method));
            if (accepted.has('GET')) accepted.add('HEAD');
            for (const method of ['PUT', 'OPTIONS', 'DELETE', 'PATCH', 'POST', 'GET']) {
                // Other methods of /v1/keys/generate reach /v1/keys/{key_id}, with `generate` as the id.
                if (accepted.has(method) || path === '/v1/keys/generate') continue;
                const { status, headers, body, text } = await send({ method, path, token });
                assert.equal(status, 405, text);
                if (problem === undefined) assert.equal(body.status, 'error');
                else assert.equal(body.error, problem); // the form of OAuth
                assert.deepEqual(new Set(headers.get('allow')?.split(', ')), accepted);
                assert.equal(headers.get('x-error-code'), 'method_not_allowed');
            }
        });
    }

    it('accepts an escaped colon in the path, in either letter case, and decodes it once', async () => {
        const path = (did: string) => ({ path: `/v1/did/${did}`, token });
        const spellings = [issuer, issuer.replaceAll(':', '%3A'), issuer.replaceAll(':', '%3a')];
        for (const did of spellings) assert.equal((await expectOk(200, path(did))).did, issuer);
        await expectError(400, path(issuer.replaceAll(':', '%253A')));
        const status = `/v1/credentials/status/${issued.credential_id.replaceAll(':', '%3a')}`;
        assert.equal((await expectOk(200, { path: status, token })).credential_id, issued.credential_id);
    });

    for (const parameter of [
        '%zz',
        '%',
        '%e',
        '%ff',
        '%c3%28',
        '%ed%a0%80',
        'a%2Fb',
        '..%2f..%2fetc',
        '%2e%2e',
        '%00',
    ]) {
        it(`refuses the parameter ${parameter} after the credential was checked`, async () => {
            for (const path of [`/v1/did/${parameter}`, `/v1/credentials/status/${parameter}`]) {
                const ask = async (headers: string[]) => (await exchange(requestText(`GET ${path}`, headers)))?.status;
                assert.equal(await ask([`Authorization: Bearer ${token}`]), 400);
                assert.equal(await ask([]), 401);
            }
        });
    }

    it('answers 400 for a parameter that cannot be decoded, and 404 for an unknown one', async () => {
        await expectError(404, { path: '/v1/keys/%25zz', token: account.token });
        for (const id of ['%zz', '%', '%ff', 'a%3']) {
            const { body } = await expectError(400, { path: `/v1/keys/${id}`, token: account.token });
            assert.match(body.error, /percent-encoded/);
        }
    });
});
