import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PresentationOptions, verifyCredential, verifyPresentation } from '../../../verify/src/verify.ts';
import { credentialToken, listToken, newSigner, presentationToken } from './signed-lists.ts';

const issuer = newSigner();
const holder = newSigner();
const lists = newSigner();
const uri = 'https://status.example/v1/status-lists/1';
const audience = 'did:web:verifier.example';
const credential = credentialToken(issuer);
const VALID = {
    valid: true,
    issuer: issuer.did,
    subject: 'did:web:ada.example',
    credential_type: 'EmploymentCredential',
    issued_at: '2026-01-01T00:00:00.000Z',
    claims: { role: 'engineer' },
    revoked: false,
    expired: false,
};
const { claims: _, ...SHOWN } = VALID;
const unauthentic = (error: string) => ({ valid: false, revoked: false, expired: false, error });
/** The statuses of the draft's example: index 0 is revoked, index 1 valid. */
const statusAt = (idx: number) => ({ status_list: { idx, uri, iss: lists.did } });
const list = listToken({ signer: lists, uri });
const AS_OF = '2026-01-01T00:00:00.000Z';
const UNKNOWN = 'The status of the credential is unknown.';

describe('a verification of a credential', () => {
    it('shows the credential, and its claims as an object', async () => {
        assert.deepEqual(await verifyCredential(credential), VALID);
        assert.deepEqual(await verifyCredential(credential, { issuer: issuer.did }), VALID);
    });

    it('resolves to a result for whatever is no token', async () => {
        for (const odd of [undefined, null, 5, {}, [], '', 'v4.public.', credential.slice(0, 50), Symbol('x')]) {
            const result = await verifyCredential(odd as string);
            assert.deepEqual(result, unauthentic('The token is not a well-formed v4.public token.'));
        }
    });

    it('accepts no issuer but the one that is named, and never takes a null for any issuer', async () => {
        const wrong = await verifyCredential(credential, { issuer: holder.did });
        assert.deepEqual(wrong, unauthentic('The signature is not valid.'));
        for (const odd of [null, '', 5, {}, true, [issuer.did], 'did:web:x']) {
            const result = await verifyCredential(credential, { issuer: odd as string });
            assert.deepEqual(result, unauthentic('The issuer is not an Ed25519 did:key.'));
        }
    });

    it('accepts no issuer but those that are listed, and shows who signed', async () => {
        assert.deepEqual(await verifyCredential(credential, { issuers: [holder.did, issuer.did] }), VALID);
        for (const issuers of [[], [holder.did]]) {
            assert.deepEqual(await verifyCredential(credential, { issuers }), {
                ...SHOWN,
                valid: false,
                error: 'The issuer is not one of those that are accepted.',
            });
        }
    });

    it('judges by the time that is given', async () => {
        const exp = '2026-06-01T00:00:00.000Z';
        const token = credentialToken(issuer, undefined, { exp });
        const atEnd = Date.parse(exp);
        assert.equal((await verifyCredential(token, { now: atEnd - 1 })).valid, true);
        const { valid, expired, claims } = await verifyCredential(token, { now: atEnd });
        assert.deepEqual([valid, expired, claims], [false, true, undefined]);
    });

    it('rejects options of a wrong type, because a verdict would then mean nothing', async () => {
        for (const options of [
            { now: Number.NaN },
            { now: 'x' },
            { status: true },
            { status: [5] },
            { fetch: 5 },
            { issuers: issuer.did },
            { issuers: [5] },
        ]) {
            await assert.rejects(verifyCredential(credential, options as object), TypeError);
        }
    });
});

describe('the status of a credential', () => {
    const revoked = credentialToken(issuer, statusAt(0));
    const active = credentialToken(issuer, statusAt(1));

    it('is taken from a list that is given', async () => {
        assert.deepEqual(await verifyCredential(active, { status: list }), { ...VALID, status: 'valid', as_of: AS_OF });
        assert.deepEqual(await verifyCredential(revoked, { status: ['x', list] }), {
            ...SHOWN,
            valid: false,
            revoked: true,
            error: 'The credential has been revoked.',
            status: 'revoked',
            as_of: AS_OF,
        });
    });

    it('is taken from the newest of the lists that fit, wherever it stands', async () => {
        const issued = (iat: number, bytes: number[], more = {}) =>
            listToken({ signer: lists, uri, bytes: Uint8Array.from(bytes), payload: { iat, ...more } });
        const [older, newer] = [issued(1_767_225_600, [0, 0]), issued(1_767_225_601, [0xb9, 0xa3])];
        for (const status of [
            [older, newer],
            [newer, older],
        ]) {
            const { revoked: isRevoked, as_of } = await verifyCredential(revoked, { status });
            assert.deepEqual([isRevoked, as_of], [true, '2026-01-01T00:00:01.000Z']);
        }
        const expired = issued(1_767_225_700, [0, 0], { exp: 1_767_225_800 });
        for (const status of [
            [expired, newer],
            [newer, expired],
        ]) {
            assert.equal((await verifyCredential(active, { status })).status, 'valid');
            assert.equal((await verifyCredential(revoked, { status })).status, 'revoked');
        }
        const foreign = listToken({ signer: issuer, uri, payload: { iat: 1_767_225_900 } });
        assert.equal((await verifyCredential(active, { status: [newer, foreign] })).status, 'valid');
    });

    it('is unknown without a list, and then the credential is not valid', async () => {
        for (const status of [undefined, [], 'no list', listToken({ signer: issuer, uri })]) {
            const result = await verifyCredential(active, { status });
            assert.deepEqual(result, { ...SHOWN, valid: false, error: UNKNOWN, status: 'unknown' });
        }
    });

    it('is not looked at if the caller says so', async () => {
        for (const token of [active, revoked, credentialToken(issuer, 'odd')]) {
            assert.deepEqual(await verifyCredential(token, { status: false }), VALID);
        }
    });

    it('does not matter if the credential names no list', async () => {
        assert.deepEqual(await verifyCredential(credential, { status: 'fetch', fetch: assert.fail }), VALID);
    });

    it('is unknown if the credential has a status of another kind', async () => {
        for (const odd of ['x', null, 5, [], {}, { status_list: { ...statusAt(1).status_list, idx: -1 } }]) {
            const { valid, status } = await verifyCredential(credentialToken(issuer, odd), { status: list });
            assert.deepEqual([valid, status], [false, 'unknown'], JSON.stringify(odd));
        }
    });

    it('is unknown beyond the end of the list, and for values other than valid and revoked', async () => {
        const beyond = await verifyCredential(credentialToken(issuer, statusAt(16)), { status: list });
        assert.deepEqual([beyond.valid, beyond.status], [false, 'unknown']);
        const suspended = listToken({ signer: lists, uri, bits: 2, bytes: Uint8Array.of(0b10) });
        const result = await verifyCredential(revoked, { status: suspended });
        assert.deepEqual([result.valid, result.revoked, result.status], [false, false, 'unknown']);
    });

    it('is unknown from the second on at which the list expires', async () => {
        const exp = 1_800_000_000;
        const token = listToken({ signer: lists, uri, payload: { exp } });
        assert.equal((await verifyCredential(active, { status: token, now: exp * 1_000 - 1 })).status, 'valid');
        assert.equal((await verifyCredential(active, { status: token, now: exp * 1_000 })).status, 'unknown');
    });
});

describe('a verification of a presentation', () => {
    const token = presentationToken(holder, [credential], 'n-1');
    const good = { audience, nonce: 'n-1' };

    it('shows the presentation and the result of each credential', async () => {
        assert.deepEqual(await verifyPresentation(token, good), {
            valid: true,
            holder: holder.did,
            audience,
            created_at: '2026-01-01T00:00:00.000Z',
            nonce_valid: true,
            credentials: [VALID],
        });
    });

    it('is invalid if one credential is revoked or unknown', async () => {
        for (const [idx, error] of [
            [0, 'credentials.1: The credential has been revoked.'],
            [16, `credentials.1: ${UNKNOWN}`],
        ] as const) {
            const several = presentationToken(holder, [credential, credentialToken(issuer, statusAt(idx))]);
            const result = await verifyPresentation(several, { audience, nonce: false, status: list });
            assert.deepEqual([result.valid, result.error], [false, error]);
        }
    });

    it('resolves to a result for whatever token, audience and nonce are', async () => {
        const refusals: Array<[unknown, object, string]> = [
            [5, good, 'The token is not a well-formed v4.public token.'],
            [credential, good, 'The token is not a presentation: typ is missing or unfit.'],
            [token, { ...good, audience: 'x' }, 'audience is not a DID.'],
            [token, { ...good, audience: undefined }, 'audience is not a DID.'],
            [token, { ...good, nonce: '' }, 'nonce must not be empty.'],
        ];
        for (const nonce of [undefined, null, 5, true]) {
            refusals.push([token, { ...good, nonce }, 'nonce must be a text, or false if there was none.']);
        }
        for (const [odd, options, error] of refusals) {
            const result = await verifyPresentation(odd as string, options as PresentationOptions);
            assert.deepEqual(result, { valid: false, error });
        }
    });
});
