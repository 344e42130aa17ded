import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { type Call, expectOk, send } from '../support/client.ts';
import { signToken } from '../support/tokens.ts';
import { issue, newDid, payloadOf } from '../support/world.ts';
import { managing, SUBJECT } from './issuers.fixture.ts';

const RUNS = 15;
const [web, key] = [await managing('web'), await managing('key')];
const { token } = web;

/** The outcome of a single call in the form of the result of an item. */
async function single(path: string, body: object, by = token) {
    const { status, headers, body: envelope, data } = await send({ method: 'POST', path, token: by, body });
    if (status < 300) return { ok: true, ...data };
    return { ok: false, code: headers.get('x-error-code'), error: envelope.error };
}

/** A result without what differs from call to call. The token becomes its signer and its content. */
function comparable({ index: _, credential_id: __, issued_at: ___, credential, ...rest }: Record<string, unknown>) {
    if (typeof credential !== 'string') return rest;
    const { jti: ____, iat: _____, ...content } = payloadOf(credential);
    return { ...rest, content };
}

for (const { issuer, token: owner } of [web, key]) {
    it(`any mix of items has the outcomes of single calls of a managed ${issuer.did.slice(0, 7)}`, async () => {
        const item = fc.record({
            subject_did: fc.constantFrom(SUBJECT, issuer.did, 'nobody', 7),
            credential_type: fc.constantFrom('EmploymentCredential', ' ', 'x'.repeat(256), 'Üñï'),
            claims: fc.oneof(fc.object({ maxDepth: 2 }), fc.constant([])),
            expiration_date: fc.constantFrom('2030-01-01', '2020-01-01', 'tomorrow', undefined),
        });
        const mix = fc.array(item, { minLength: 1, maxLength: 12 });
        await fc.assert(
            fc.asyncProperty(mix, async (items) => {
                const path = '/v1/credentials/batch/issue';
                const body = { issuer_did: issuer.did, items };
                const { results } = await expectOk(200, { method: 'POST', path, token: owner, body });
                const alone = await Promise.all(
                    items.map((each) => single('/v1/credentials', { issuer_did: issuer.did, ...each }, owner)),
                );
                assert.deepEqual(results.map(comparable), alone.map(comparable));
            }),
            { numRuns: RUNS },
        );
    });
}

it('any mix of tokens has the verdicts of single calls', async () => {
    const { issuer, calls } = web;
    const own = await newDid(token);
    const old = await web.issued();
    await expectOk(201, calls.rotate(issuer.issuer_id));
    await expectOk(200, calls.compromise(issuer.issuer_id, issuer.kid));
    const current = await web.issued();
    const revoked = await web.issued();
    const revoke: Call = { method: 'POST', path: `/v1/credentials/revoke/${revoked.credential_id}`, token };
    await expectOk(200, { ...revoke, body: { issuer_did: issuer.did } });
    const forged = signToken({
        private_key: own.private_key,
        payload: { ...payloadOf(current.credential), kid: own.did.slice('did:key:'.length) },
    });
    const issued = [old, current, revoked, await key.issued(), await issue(token, own)];
    const item = fc.record({
        credential: fc.constantFrom(...issued.map(({ credential }) => credential), forged, 'no token', 7),
        issuer_did: fc.constantFrom(issuer.did, key.issuer.did, own.did, 'did:web:x.example', '', 5),
        check_revocation: fc.constantFrom(true, false, undefined),
    });
    await fc.assert(
        fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 20 }), async (items) => {
            const path = '/v1/credentials/batch/verify';
            const { results } = await expectOk(200, { method: 'POST', path, token, body: { items } });
            const alone = await Promise.all(items.map((each) => single('/v1/credentials/verify', each)));
            assert.deepEqual(results.map(comparable), alone.map(comparable));
        }),
        { numRuns: RUNS },
    );
});
