import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { issuing, SUBJECT } from '../credentials/issue.fixture.ts';
import { type Call, expectOk, send } from '../support/client.ts';
import { openToken } from '../support/tokens.ts';
import { aKey, newDid, payloadOf } from '../support/world.ts';
import { batching, ITEM } from './batch.fixture.ts';

const { token, issuer, keyPair, batch, issue, issued } = await batching();

interface Result {
    index: number;
    ok: boolean;
    code?: string;
    error?: string;
}

/** The outcome of a single call, in the form of the result of an item. */
async function single(call: Call) {
    const { status, headers, body, data } = await send({ method: 'POST', token, ...call });
    if (status < 300) return { ok: true, ...data };
    return { ok: false, code: headers.get('x-error-code'), error: body.error };
}

const without = (result: object, ...names: string[]) =>
    Object.fromEntries(Object.entries(result).filter(([name]) => !names.includes(name)));

describe('a batch of credentials to issue', () => {
    it('has the fields of single answers, in the order of the items, and 1,000 of them verify', async () => {
        const items = Array.from({ length: 1_000 }, (_, index) => ({ ...ITEM, claims: { index } }));
        const { results, total_succeeded, total_failed } = await issue(items);
        assert.deepEqual([results.length, total_succeeded, total_failed], [1_000, 1_000, 0]);
        for (const [index, result] of results.entries()) {
            assert.deepEqual([result.index, result.ok], [index, true]);
            assert.deepEqual(payloadOf(result.credential)['claims'], { index });
        }
        const tokens = results.map(({ credential }: { credential: string }) => ({ credential }));
        const checked = await expectOk(200, batch('verify', { items: tokens, check_revocation: true }));
        for (const [index, { ok, valid, claims }] of checked.results.entries()) {
            assert.deepEqual([ok, valid, claims], [true, true, { index }]);
        }
    });

    it('makes 1,000 tokens that an independent implementation verifies with the key of the DID', async () => {
        const items = Array.from({ length: 1_000 }, (_, index) => ({ ...ITEM, claims: { index } }));
        const { results } = await issue(items);
        const { public_key } = await expectOk(200, { path: `/v1/did/${issuer.did}`, token });
        for (const [index, { credential }] of results.entries()) {
            assert.deepEqual((await openToken(credential, public_key))['claims'], { index });
        }
    });

    it('signs claims exactly as they were sent', async () => {
        const claims = '{ "n":12345678901234567890 ,\t"one":1.0, "\\u0041":"\\u00e9", "2":1, "1":2}';
        const item = JSON.stringify({ ...ITEM, claims: 0 }).replace('"claims":0', `"claims":${claims}`);
        const { text } = await send(
            batch('issue', JSON.stringify({ ...keyPair, items: [] }).replace('[]', `[1,${item}]`)),
        );
        const [, result] = JSON.parse(text).data.results;
        const body = Buffer.from(result.credential.slice('v4.public.'.length), 'base64url').toString('utf8');
        assert.ok(body.includes(`"claims":${claims}`));
        const verified = await send(batch('verify', { items: [{ credential: result.credential }] }));
        assert.ok(verified.text.includes(`"claims":${claims}`));
    });

    it('fails a bad item alone, with the code and the text of a single call', async () => {
        const bad = [
            { ...ITEM, subject_did: 'nobody' },
            { ...ITEM, subject_did: undefined },
            { ...ITEM, subject_did: 7 },
            { ...ITEM, credential_type: ' ' },
            { ...ITEM, claims: [] },
            { ...ITEM, claims: null },
            { ...ITEM, claims: { text: 'x'.repeat(64 << 10) } },
            { ...ITEM, expiration_date: 'tomorrow' },
            { ...ITEM, expiration_date: '2030-01-01' },
            ITEM,
        ];
        const { results } = await issue(bad);
        for (const [index, item] of bad.entries()) {
            const alone = await single({ path: '/v1/credentials', body: { ...keyPair, ...item } });
            const names = ['credential_id', 'credential', 'issued_at'];
            assert.deepEqual(without(results[index], 'index', ...names), without(alone, ...names), `item ${index}`);
        }
        const wrong = [7, 'x', null, [], [ITEM], { ...ITEM, issuer_did: SUBJECT }, { ...ITEM, issuer_did: issuer.did }];
        const others = await issue(wrong);
        assert.deepEqual(
            others.results.map(({ ok, error }: Result) => (ok ? 'ok' : error)),
            [
                ...Array(5).fill('The item must be a JSON object.'),
                'The issuer_did of an item must be that of the batch.',
                'ok',
            ],
        );
        assert.deepEqual([others.total_succeeded, others.total_failed], [1, 6]);
    });
});

it('a batch to verify has the results of single calls, whatever the items are', async () => {
    const [plain, revoked, expired] = await issued(2).then(async ([one, two]) => {
        const { results } = await issue([{ ...ITEM, expiration_date: '2020-01-01' }]);
        return [one, two, results[0]];
    });
    await expectOk(
        200,
        batch('revoke', { issuer_did: issuer.did, items: [{ credential_id: revoked?.credential_id }] }),
    );
    const other = await newDid(token);
    const credentials = [plain, revoked, expired].map((each) => each?.credential);
    const items = [...credentials, 'no token', '', 7, undefined, `${credentials[0]?.slice(0, -4)}AAAA`].flatMap(
        (credential) => [
            { credential, issuer_did: issuer.did },
            { credential, issuer_did: other.did, check_revocation: true },
            { credential, issuer_did: issuer.did, check_revocation: true },
            { credential, issuer_did: 'did:web:x' },
            { credential, issuer_did: '' },
            { credential, issuer_did: 5 },
            { credential, issuer_did: issuer.did, check_revocation: 'yes' },
        ],
    );
    const { results, total_failed } = await expectOk(200, batch('verify', { items }));
    for (const [index, item] of items.entries()) {
        const alone = await single({ path: '/v1/credentials/verify', body: item });
        assert.deepEqual(without(results[index], 'index'), alone, JSON.stringify(item));
    }
    assert.equal(total_failed, results.filter(({ ok }: Result) => !ok).length);
    const common = await expectOk(
        200,
        batch('verify', { items: [{ credential: revoked?.credential }], check_revocation: true }),
    );
    assert.equal(common.results[0].revoked, true);
});

describe('a batch of credentials to revoke', () => {
    it('has the results of single calls, and answers the first revocation for each item with the same id', async () => {
        const [one, two, three] = await issued(3);
        const foreign = await issuing();
        const { credential_id: foreignId } = await expectOk(201, foreign.issueCall());
        const ids = [one, two, three].map((each) => each?.credential_id);
        const items = [
            { credential_id: ids[0], reason: 'own' },
            { credential_id: 'x' },
            { credential_id: 7 },
            {},
            { credential_id: foreignId },
            { credential_id: ids[1] },
            { credential_id: ids[0], reason: 'again' },
            { credential_id: ids[2], reason: 'x'.repeat(2_001) },
            { credential_id: 'urn:uuid:00000000-0000-7000-8000-000000000000' },
            null,
        ];
        const body = { issuer_did: issuer.did, reason: 'common', items };
        const { results } = await expectOk(200, batch('revoke', body));
        assert.deepEqual(
            results.map(({ ok, code, reason }: Result & { reason: string }) => (ok ? reason : code)),
            ['own', 'invalid', 'invalid', 'invalid', 'forbidden', 'common', 'own', 'invalid', 'not_found', 'invalid'],
        );
        assert.deepEqual(without(results[6], 'index'), without(results[0], 'index'));
        const repeated = await expectOk(200, batch('revoke', body));
        assert.deepEqual(repeated, { ...repeated, results });

        const asked = await expectOk(200, batch('status', { credential_ids: [...ids, foreignId, 'x', 7, null] }));
        assert.deepEqual(
            asked.results.map(({ code, revoked }: Result & { revoked: boolean }) => code ?? revoked),
            [true, true, false, false, 'invalid', 'invalid', 'invalid'],
        );
        for (const [index, id] of ids.entries()) {
            const alone = await expectOk(200, { path: `/v1/credentials/status/${id}`, token });
            assert.deepEqual(asked.results[index], { index, ok: true, ...alone });
        }
    });

    it('revokes nothing of another account', async () => {
        const [{ credential_id } = { credential_id: '' }] = await issued(1);
        const stranger = await aKey();
        const body = { issuer_did: issuer.did, items: [{ credential_id }] };
        const { results } = await expectOk(200, batch('revoke', body, { token: stranger }));
        assert.deepEqual([results[0].ok, results[0].code], [false, 'forbidden']);
        const { revoked } = await expectOk(200, { path: `/v1/credentials/status/${credential_id}`, token });
        assert.equal(revoked, false);
    });
});
