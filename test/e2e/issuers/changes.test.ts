import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/until.ts';
import { expectError, expectOk } from '../support/client.ts';
import { AUDIENCE } from '../support/presenting.ts';
import { walletCalls } from '../support/wallet-calls.ts';
import { newDid, newWallet, payloadOf, present } from '../support/world.ts';
import { documentOf, managing } from './issuers.fixture.ts';

const kidsOf = async (issuer: { issuer_id: string }) =>
    (await documentOf(issuer, 1)).verificationMethod.map(({ publicKeyMultibase }) => publicKeyMultibase);
const statesOf = ({ keys }: { keys: Array<{ state: string }> }) => keys.map(({ state }) => state);

describe('a rotation', () => {
    it('leaves old tokens valid, and the new key signs from the next call on', async () => {
        const { calls, issuer, issued, verdicts } = await managing();
        const before = await issued();
        const next = await expectOk(201, calls.rotate(issuer.issuer_id));
        assert.equal(next.previous, issuer.kid);
        assert.notEqual(next.kid, issuer.kid);
        const after = await expectOk(201, { ...calls.issue(issuer.did), gateway: 1 });
        assert.equal(payloadOf(before.credential)['kid'], issuer.kid);
        assert.equal(payloadOf(after.credential)['kid'], next.kid);
        for (const { credential } of [before, after]) {
            for (const { valid } of await verdicts(credential)) assert.equal(valid, true);
        }
        const { did, keys } = await expectOk(200, calls.get(issuer.issuer_id));
        assert.equal(did, issuer.did);
        assert.deepEqual(statesOf({ keys }), ['active', 'retired']);
        assert.ok(keys[1].retired_at >= keys[1].created_at);
        assert.deepEqual(await kidsOf(issuer), [next.kid, issuer.kid]);
    });

    it('fails no call that issues at the same time, and every token is valid afterwards', async () => {
        const { calls, issuer, issued, verdicts } = await managing();
        let over = false;
        const tokens: string[] = [];
        const clients = Array.from({ length: 4 }, async () => {
            while (!over) tokens.push((await issued()).credential);
        });
        await until('a token is issued', () => tokens.length > 0);
        const { kid } = await expectOk(201, calls.rotate(issuer.issuer_id));
        over = true;
        await Promise.all(clients);
        assert.equal(payloadOf(tokens[0] ?? '')['kid'], issuer.kid);
        const last = await issued();
        assert.equal(payloadOf(last.credential)['kid'], kid);
        for (const credential of tokens.filter((_, index) => index % 20 === 0)) {
            for (const { valid } of await verdicts(credential)) assert.equal(valid, true);
        }
    });

    it('of a did:key is refused, because the DID is the key', async () => {
        const { calls, issuer } = await managing('key');
        const { body } = await expectError(409, calls.rotate(issuer.issuer_id));
        assert.match(body.error, /^A did:key is its key/);
    });

    it('by several calls at once leaves one active key', async () => {
        const { calls, issuer, issued } = await managing();
        await Promise.all(Array.from({ length: 5 }, () => expectOk(201, calls.rotate(issuer.issuer_id))));
        const shown = await expectOk(200, calls.get(issuer.issuer_id));
        assert.deepEqual(statesOf(shown).sort(), ['active', ...Array(5).fill('retired')]);
        const active = shown.keys.find(({ state }: { state: string }) => state === 'active');
        assert.equal(payloadOf((await issued()).credential)['kid'], active.kid);
    });
});

describe('a compromised key', () => {
    it('makes everything that it signed invalid from the next call on, on every gateway', async () => {
        const { token, calls, issuer, issued, verdicts } = await managing();
        const { credential } = await issued();
        const { presentation } = await present(token, issuer, [credential]);
        const ofHolder = await present(token, await newDid(token), [credential]);
        for (const { valid } of await verdicts(credential)) assert.equal(valid, true);
        const marked = await expectOk(
            200,
            calls.compromise(issuer.issuer_id, issuer.kid, { body: { reason: 'stolen' } }),
        );
        assert.deepEqual([marked.state, marked.reason, marked.kid], ['compromised', 'stolen', issuer.kid]);

        for (const { valid, error } of await verdicts(credential)) {
            assert.deepEqual([valid, error], [false, 'The key that signed the token is compromised.']);
        }
        for (const text of [presentation, ofHolder.presentation]) {
            const body = { presentation: text, audience: AUDIENCE };
            const call = { method: 'POST', path: '/v1/presentations/verify', token, body, gateway: 1 };
            assert.equal((await expectOk(200, call)).valid, false);
        }
        const wallet = await newWallet(token);
        await expectError(400, walletCalls(token).add(wallet.wallet_id, { password: wallet.password, credential }));
        assert.deepEqual(await kidsOf(issuer), []);
    });

    it('stops its issuer with 409 until the issuer is rotated', async () => {
        const { token, calls, issuer, issued, verdicts } = await managing();
        const { credential } = await issued();
        await expectOk(200, calls.compromise(issuer.issuer_id, issuer.kid));
        const items = [{ subject_did: 'did:web:a.example', credential_type: 'T', claims: {} }];
        const batch = {
            method: 'POST',
            path: '/v1/credentials/batch/issue',
            token,
            body: { issuer_did: issuer.did, items },
        };
        for (const call of [calls.issue(issuer.did), { ...calls.issue(issuer.did), gateway: 1 }, batch]) {
            const { body } = await expectError(409, call);
            assert.equal(body.error, 'This issuer has no active EdDSA key. Rotate it first.');
        }
        const { kid, previous } = await expectOk(201, calls.rotate(issuer.issuer_id));
        assert.equal(previous, undefined);
        const next = await issued();
        for (const { valid } of await verdicts(next.credential)) assert.equal(valid, true);
        for (const { valid } of await verdicts(credential)) assert.equal(valid, false);
        assert.deepEqual(await kidsOf(issuer), [kid]);
    });

    it('that is retired does not stop its issuer, and the first reason stays', async () => {
        const { calls, issuer, issued, verdicts } = await managing();
        const old = await issued();
        const { kid } = await expectOk(201, calls.rotate(issuer.issuer_id));
        const first = await expectOk(
            200,
            calls.compromise(issuer.issuer_id, issuer.kid, { body: { reason: 'first' } }),
        );
        const again = await expectOk(
            200,
            calls.compromise(issuer.issuer_id, issuer.kid, { body: { reason: 'second' } }),
        );
        assert.deepEqual(again, first);
        assert.equal(payloadOf((await issued()).credential)['kid'], kid);
        for (const { valid } of await verdicts(old.credential)) assert.equal(valid, false);
        const shown = await expectOk(200, calls.get(issuer.issuer_id));
        assert.deepEqual(statesOf(shown), ['active', 'compromised']);
        assert.equal(shown.keys[1].reason, 'first');
    });

    it('must be one of the issuer, and the issuer a did:web', async () => {
        const { calls, issuer } = await managing();
        const foreign = await managing('key');
        for (const kid of [foreign.issuer.kid, 'x']) {
            const { body } = await expectError(404, calls.compromise(issuer.issuer_id, kid));
            assert.equal(body.error, 'This issuer has no such key.');
        }
        const { body } = await expectError(409, foreign.calls.compromise(foreign.issuer.issuer_id, foreign.issuer.kid));
        assert.match(body.error, /Archive the issuer and revoke its credentials\.$/);
        const reason = 'x'.repeat(2_001);
        await expectError(400, calls.compromise(issuer.issuer_id, issuer.kid, { body: { reason } }));
    });
});

for (const method of ['key', 'web'] as const) {
    it(`an archived did:${method} signs no more, and what it has signed stays valid`, async () => {
        const { token, calls, issuer, issued, verdicts } = await managing(method);
        const { credential } = await issued();
        const archived = await expectOk(200, calls.archive(issuer.issuer_id));
        assert.ok(archived.archived_at >= archived.created_at);
        assert.deepEqual(await expectOk(200, calls.archive(issuer.issuer_id)), archived);
        const presented = { holder_did: issuer.did, credentials: [credential], audience: AUDIENCE };
        const items = [{ subject_did: 'did:web:a.example', credential_type: 'T', claims: {} }];
        const body = { issuer_did: issuer.did, items };
        for (const call of [
            calls.issue(issuer.did),
            { ...calls.issue(issuer.did), gateway: 1 },
            { method: 'POST', path: '/v1/credentials/batch/issue', token, body },
            { method: 'POST', path: '/v1/presentations', token, body: presented },
        ]) {
            assert.equal((await expectError(409, call)).body.error, 'This issuer is archived, so it signs no more.');
        }
        await expectError(409, calls.rotate(issuer.issuer_id));
        for (const { valid } of await verdicts(credential)) assert.equal(valid, true);
        assert.deepEqual(await expectOk(200, calls.get(issuer.issuer_id)), archived);
        if (method === 'key') return;
        assert.deepEqual(await kidsOf(issuer), [issuer.kid]);
        await expectOk(200, calls.compromise(issuer.issuer_id, issuer.kid)); // still possible
        for (const { valid } of await verdicts(credential)) assert.equal(valid, false);
    });
}
