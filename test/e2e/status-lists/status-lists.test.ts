import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { verifyCredential } from '../../../verify/src/verify.ts';
import { until } from '../../support/until.ts';
import { expectError, expectOk, GATEWAYS, INTERNAL_SECRET, send, service } from '../support/client.ts';
import { sendRaw } from '../support/raw.ts';
import { aKey, aStatusList, type Issued, issue, issueBody, newDid } from '../support/world.ts';

/** STATUS_LIST_SECONDS: the time after which a list shows a revocation, in milliseconds. */
const PROMISED_MS = 15_000;

const placeOf = ({ status }: Issued) => status?.status_list ?? assert.fail('the credential has no place');
/** The address of a list at one of the gateways under test, which have another host than PUBLIC_URL. */
const pathOf = (issued: Issued) => new URL(placeOf(issued).uri).pathname;

async function listOf(path: string, gateway = 0): Promise<string> {
    const answer = await fetch(`${GATEWAYS[gateway]}${path}`);
    assert.equal(answer.status, 200);
    return answer.text();
}

describe('a credential that is issued with status_list', () => {
    it('can be verified offline, and its revocation shows in time at every gateway', async () => {
        const token = await aKey();
        const issuer = await newDid(token);
        const revoked = await issue(token, issuer, { status_list: true });
        const valid = await issue(token, issuer, { status_list: true });
        const statusOf = async ({ credential }: Issued, gateway: number) => {
            const status = await listOf(pathOf(revoked), gateway);
            return (await verifyCredential(credential, { issuer: issuer.did, status })).status;
        };
        for (const gateway of [0, 1]) assert.equal(await statusOf(revoked, gateway), 'valid');
        const { credential_id } = revoked;
        await service.as({ token }).credentials.revoke({ credential_id, issuer_did: issuer.did });
        const until = performance.now() + PROMISED_MS;
        for (const gateway of [0, 1]) {
            while ((await statusOf(revoked, gateway)) !== 'revoked') {
                assert.ok(performance.now() < until, `gateway ${gateway} does not show the revocation`);
                await delay(200);
            }
            assert.equal(await statusOf(valid, gateway), 'valid');
        }
    });

    it('gets the same bytes again for the same Idempotency-Key, at every gateway', async () => {
        const token = await aKey();
        const body = issueBody(await newDid(token), 'did:web:subject.example', { status_list: true });
        const call = { method: 'POST', path: '/v1/credentials', token, body };
        const headers = { 'idempotency-key': randomUUID() };
        const [first, again] = [await send({ ...call, headers }), await send({ ...call, headers, gateway: 1 })];
        assert.equal(first.status, 201);
        assert.ok(first.data.status.status_list.idx >= 0);
        assert.equal(again.text, first.text);
    });

    it('is refused if status_list is not a boolean', async () => {
        const token = await aKey();
        const issuer = await newDid(token);
        for (const statusList of ['true', 1, 0, [], {}, '']) {
            const body = issueBody(issuer, 'did:web:subject.example', { status_list: statusList });
            const { body: refusal } = await expectError(400, { method: 'POST', path: '/v1/credentials', token, body });
            assert.equal(refusal.error, 'status_list must be a boolean.');
        }
    });
});

describe('a credential without status_list', () => {
    it('is the same whether the field is absent, null or false', async () => {
        const token = await aKey();
        const issuer = await newDid(token);
        const headers = { 'idempotency-key': randomUUID() };
        const texts = [];
        for (const more of [{}, { status_list: null }, { status_list: false }]) {
            const body = issueBody(issuer, 'did:web:subject.example', more);
            const answer = await send({ method: 'POST', path: '/v1/credentials', token, body, headers });
            assert.equal(answer.status, 201, answer.text);
            assert.equal('status' in answer.data, false);
            texts.push(answer.text);
        }
        assert.equal(new Set(texts).size, 1, 'they are one request for an Idempotency-Key');
    });
});

describe('a batch', () => {
    it('gives places to all items, or to those that ask for one', async () => {
        const token = await aKey();
        const { issuer_did, issuer_private_key, ...item } = issueBody(await newDid(token), 'did:web:subject.example');
        const places = async (more: object, items: object[]) => {
            const body = { issuer_did, issuer_private_key, ...more, items };
            const data = await expectOk(200, { method: 'POST', path: '/v1/credentials/batch/issue', token, body });
            return (data.results as Issued[]).map(({ status }) => status !== undefined);
        };
        const asks = (statusList: unknown) => ({ ...item, status_list: statusList });
        assert.deepEqual(await places({}, [item, asks(true), asks(false), asks(null)]), [false, true, false, false]);
        assert.deepEqual(await places({ status_list: true }, [item, asks(false), asks(true)]), [true, false, true]);
        const { results } = await expectOk(200, {
            method: 'POST',
            path: '/v1/credentials/batch/issue',
            token,
            body: { issuer_did, issuer_private_key, items: [asks('yes'), asks(true)] },
        });
        assert.deepEqual(
            [results[0].ok, results[0].error, results[1].ok],
            [false, 'status_list must be a boolean.', true],
        );
    });
});

describe('a status list', () => {
    it('is served without an account, for a minute, to every web page, and compressed', async () => {
        const path = `/v1/status-lists/${await aStatusList()}`;
        const headers = [['Origin', 'https://anywhere.example']] as const;
        const plain = await sendRaw({ path, headers });
        assert.equal(plain.status, 200);
        assert.equal(plain.headers['content-type'], 'application/statuslist+jwt');
        assert.equal(plain.headers['cache-control'], 'public, max-age=60');
        assert.equal(plain.headers['access-control-allow-origin'], '*');
        const compressed = await fetch(`${GATEWAYS[0]}${path}`, { headers: { 'accept-encoding': 'gzip' } });
        assert.equal(compressed.headers.get('content-encoding'), 'gzip');
        assert.equal(await compressed.text(), plain.text);
        const { etag = '' } = plain.headers;
        const again = await sendRaw({ path, headers: [['If-None-Match', etag]] });
        assert.deepEqual([again.status, again.text], [304, '']);
    });

    it('is named by the list of all lists', async () => {
        const id = await aStatusList();
        // A gateway may answer from an index that is some seconds old.
        await until('the new list is named', async () => {
            const answer = await fetch(`${GATEWAYS[1]}/v1/status-lists`);
            assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
            const { status_lists } = (await answer.json()) as { status_lists: string[] };
            return status_lists.some((uri) => uri.endsWith(`/v1/status-lists/${id}`));
        });
    });

    it('counts against the limit of its address, unless the caller has the internal secret', async () => {
        const path = `/v1/status-lists/${await aStatusList()}`;
        const from = '127.0.77.7';
        const remaining = async (headers: ReadonlyArray<readonly [string, string]> = []) =>
            Number((await sendRaw({ path: '/v1/status-lists/none', from, headers })).headers['x-ratelimit-remaining']);
        const before = await remaining();
        await sendRaw({ path, from }); // it does not say how many are left
        assert.equal(await remaining(), before - 2);
        await remaining([['X-Internal-Secret', INTERNAL_SECRET]]);
        assert.equal(await remaining(), before - 3);
    });

    it('that does not exist, or whose id is malformed, is 404 in the envelope', async () => {
        for (const id of [
            randomUUID(),
            randomUUID().toUpperCase(),
            'no-id',
            '..%2Fkeys',
            '0',
            "'",
            '%00',
            'x'.repeat(9_000),
        ]) {
            const { body } = await expectError(404, { path: `/v1/status-lists/${id}` });
            assert.equal(body.error, 'This status list does not exist.');
        }
        await expectError(404, { path: '/v1/status-lists/' });
    });

    it('of an earlier time is refused, and so are other methods and malformed paths', async () => {
        const path = `/v1/status-lists/${await aStatusList()}`;
        for (const query of ['time=1795546525', 'time=', 'time=x', 'time=1&time=2']) {
            const { body } = await expectError(400, { path: `${path}?${query}` });
            assert.match(
                body.error,
                /^time (is not supported: only the current list is kept|is given more than once)\.$/,
            );
        }
        assert.equal((await expectError(405, { method: 'DELETE', path })).headers.get('allow'), 'GET, HEAD');
        await expectError(400, { path: '/v1/status-lists/%ff' });
        assert.equal((await fetch(`${GATEWAYS[0]}${path}?other=1`)).status, 200);
    });
});
