import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, expectOk } from '../support/client.ts';
import { database } from '../support/database.ts';
import { AUDIENCE, presenting, tampered } from '../support/presenting.ts';
import { signToken } from '../support/tokens.ts';
import { counted } from '../support/usage.ts';
import { issue, issueBody, newAccount, newDid, newKey, payloadOf, present } from '../support/world.ts';

const db = await database('usage');
const { token, issuer, holder, other, one, check, verify } = await presenting();

/** Returns a token with this payload, signed by the holder. */
const signed = (payload: unknown, more: { footer?: string; implicit?: string } = {}): string =>
    signToken({ private_key: holder.private_key, payload, ...more });

describe('a check of a presentation', async () => {
    const { presentation } = await present(token, holder, [one.credential]);
    const { presentation: withNonce } = await present(token, holder, [one.credential], { nonce: 'n-1' });
    const payload = payloadOf(presentation);

    const bad: Record<string, unknown> = {
        'no body': undefined,
        'no presentation': { audience: AUDIENCE },
        'null as presentation': { presentation: null, audience: AUDIENCE },
        'a number as presentation': { presentation: 5, audience: AUDIENCE },
        'an empty string as presentation': { presentation: '', audience: AUDIENCE },
        'only the header of a token': { presentation: 'v4.public.', audience: AUDIENCE },
        'a token that is too short': { presentation: 'v4.public.AA', audience: AUDIENCE },
        'a token of another version': { presentation: presentation.replace('v4', 'v3'), audience: AUDIENCE },
        'a token with an invalid character': { presentation: `${presentation}!`, audience: AUDIENCE },
        'no audience': { presentation },
        'null as audience': { presentation, audience: null },
        'an audience that is not a DID': { presentation, audience: 'verifier' },
        'a string as verify_credentials': { presentation, audience: AUDIENCE, verify_credentials: 'true' },
        'a number as verify_credentials': { presentation, audience: AUDIENCE, verify_credentials: 0 },
        'a string as check_revocation': { presentation, audience: AUDIENCE, check_revocation: 'false' },
        'a number as check_revocation': { presentation, audience: AUDIENCE, check_revocation: 1 },
        'a nonce that is a number': { presentation, audience: AUDIENCE, nonce: 5 },
        'an empty nonce': { presentation: withNonce, audience: AUDIENCE, nonce: '' },
    };
    for (const [what, body] of Object.entries(bad)) {
        it(`is refused with ${what}`, async () => void (await expectError(400, check(body))));
    }

    it('treats null in an optional field as omitted', async () => {
        const nulls = { nonce: null, verify_credentials: null, check_revocation: null };
        const { valid, credentials } = await verify(withNonce, nulls);
        assert.deepEqual([valid, credentials.length], [true, 1]);
    });

    it('compares the nonce only if the caller sends one', async () => {
        const outcomes = [];
        for (const [text, nonce] of [
            [withNonce, 'n-1'],
            [withNonce, 'N-1'],
            [presentation, 'n-1'],
            [withNonce, undefined],
        ] as const) {
            const { valid, nonce_valid, error } = await verify(text, { nonce });
            assert.equal(typeof error, valid ? 'undefined' : 'string');
            outcomes.push([valid, nonce_valid]);
        }
        const failed = [false, false];
        assert.deepEqual(outcomes, [[true, true], failed, failed, [true, undefined]]);
    });

    it('returns both audiences if they differ', async () => {
        const audience = 'did:web:somebody-else.example';
        const result = await verify(presentation, { audience });
        const { valid, expected_audience, actual_audience, error } = result;
        assert.deepEqual([valid, expected_audience, actual_audience], [false, audience, AUDIENCE]);
        assert.ok(error);
    });

    it('finds an expired credential, and a revoked one only with check_revocation', async () => {
        const expired = await issue(token, issuer, { expiration_date: '2001-01-01' });
        const revoked = await issue(token, issuer);
        const path = `/v1/credentials/revoke/${revoked.credential_id}`;
        await expectOk(200, { method: 'POST', path, token, body: { issuer_did: issuer.did } });
        const late = await verify((await present(token, holder, [one.credential, expired.credential])).presentation);
        assert.deepEqual([late.valid, late.credentials[0].valid, late.credentials[1].valid], [false, true, false]);
        assert.equal(late.credentials[1].expired, true);
        const { presentation: withdrawn } = await present(token, holder, [revoked.credential]);
        const looked = await verify(withdrawn, { check_revocation: true });
        assert.deepEqual(
            [looked.valid, looked.credentials[0].valid, looked.credentials[0].revoked],
            [false, false, true],
        );
        const trusting = await verify(withdrawn, { check_revocation: false });
        assert.deepEqual([trusting.valid, trusting.credentials[0].valid], [true, true]);
        assert.deepEqual(
            (await verify(withdrawn, { verify_credentials: false, check_revocation: true })).credentials,
            [],
        );
    });

    const unfit: Record<string, () => string> = {
        'with a changed payload': () => tampered(presentation),
        'signed by another': () => signToken({ private_key: other.private_key, payload }),
        'with a footer': () => signed(payload, { footer: 'x' }),
        'with an implicit assertion': () => signed(payload, { implicit: 'x' }),
        'that is not JSON': () => signed('{not json'),
        'with a JSON array as payload': () => signed('[]'),
        'with a duplicate member': () => signed(JSON.stringify(payload).replace('{', '{"aud":"did:web:x",')),
        'that is not UTF-8': () => signed(Buffer.from([0x7b, 0xff, 0x7d])),
        'with 50,000 levels': () => signed('['.repeat(50_000) + ']'.repeat(50_000)),
        'without its type': () => signed({ ...payload, typ: undefined }),
        'with a number as audience': () => signed({ ...payload, aud: 5 }),
        'with a number as time': () => signed({ ...payload, iat: 5 }),
        'with a number as nonce': () => signed({ ...payload, nonce: 5 }),
        'with a string as credentials': () => signed({ ...payload, credentials: one.credential }),
        'with 101 credentials': () =>
            signed({ ...payload, credentials: Array.from({ length: 101 }, () => one.credential) }),
        'with a number among its credentials': () => signed({ ...payload, credentials: [one.credential, 5] }),
        'with a credential that is not a token': () => signed({ ...payload, credentials: [one.credential, 'x'] }),
        'without credentials': () => signed({ ...payload, credentials: [] }),
        'that has expired': () => signed({ ...payload, exp: '2000-01-01T00:00:00Z' }),
        'that is not valid yet': () => signed({ ...payload, nbf: '2999-01-01T00:00:00Z' }),
        'with an exp that is not a date': () => signed({ ...payload, exp: 4_102_444_800 }),
        'with itself as a credential': () => signed({ ...payload, credentials: [presentation] }),
        'with a tampered credential': () => signed({ ...payload, credentials: [tampered(one.credential)] }),
    };
    for (const [what, text] of Object.entries(unfit)) {
        it(`answers valid: false to a token ${what}`, async () => {
            const { valid, error } = await verify(text(), { check_revocation: true });
            assert.equal(valid, false);
            assert.ok(typeof error === 'string' && error !== '');
        });
    }

    it('is counted as verified for the calling account, unless it is refused', async () => {
        const caller = await newAccount();
        const { api_key } = await newKey(caller);
        const own = (text: string) => ({ ...check({ presentation: text, audience: AUDIENCE }), token: api_key });
        for (const text of [presentation, tampered(presentation)]) await expectOk(200, own(text));
        await expectError(400, own('x'));
        await counted(db, caller, 'requests', 4);
        await counted(db, caller, 'presentations_verified', 2);
        const { presentations } = await expectOk(200, { path: '/v1/me/stats', token: caller.token });
        assert.equal(presentations.total_verified, 2);
    });
});

it('a presentation may contain credentials of another account', async () => {
    const otherCaller = (await newKey(await newAccount())).api_key;
    const theirs = await newDid(otherCaller);
    const body = issueBody(theirs, holder.did);
    const { credential } = await expectOk(201, { method: 'POST', path: '/v1/credentials', token: otherCaller, body });
    const { presentation } = await present(token, holder, [credential]);
    const call = {
        ...check({ presentation, audience: AUDIENCE, check_revocation: true }),
        token: otherCaller,
        gateway: 1,
    };
    assert.equal((await expectOk(200, call)).valid, true);
});
