import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc';
import { type CredentialOptions, type DidDocument, verifyCredential } from '../../../verify/src/verify.ts';
import { bound, digest, jwt, nameOf, type Party, party, sdJwt } from '../tokens/sd-jwts.ts';
import { credentialToken, lstOf, newSigner } from './signed-lists.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const WEB = 'did:web:credentials.example:issuers:01a1fac9-0ec3-7000-8c5d-2f7b9e0a6c11';
const uri = 'https://credentials.example/status/1';
const [ed25519, p256, other] = [party('EdDSA'), party('ES256'), party('ES256')];

const asMultibase = (key: Party) => ({ type: 'Multikey', publicKeyMultibase: nameOf(key) });
const asJwk = (key: Party) => ({ type: 'JsonWebKey', publicKeyJwk: key.jwk });
const documentOf = (key: Party, form: (key: Party) => object): DidDocument => {
    const method = { id: `${WEB}#${nameOf(key)}`, controller: WEB, ...form(key) };
    return { id: WEB, verificationMethod: [method], assertionMethod: [method.id] };
};
const webToken = (issuer: Party, payload = {}): string =>
    sdJwt({ issuer, header: { kid: `${WEB}#${nameOf(issuer)}` }, payload: { iss: WEB, ...payload } });
const check = (token: string, options: CredentialOptions = {}) => verifyCredential(token, { now: NOW, ...options });

describe('verifyCredential() of an SD-JWT', () => {
    it('answers as for a v4.public token, and says what was disclosed', async () => {
        assert.deepEqual(await check(sdJwt({ issuer: p256 }), { issuer: p256.did }), {
            valid: true,
            issuer: p256.did,
            subject: 'did:web:ada.example',
            credential_type: 'https://a.example/employment',
            issued_at: '2026-01-01T00:00:00.000Z',
            expires_at: '2999-01-01T00:00:00.000Z',
            revoked: false,
            expired: false,
            claims: { role: 'engineer' },
            disclosed: ['/role'],
        });
        const refused = await check(sdJwt({ issuer: p256 }), { issuers: [other.did] });
        assert.deepEqual([refused.valid, refused.claims, refused.disclosed], [false, undefined, undefined]);
    });

    for (const key of [ed25519, p256]) {
        it(`finds an ${key.alg} key in a document, as a JWK and as a multikey`, async () => {
            for (const form of [asMultibase, asJwk]) {
                assert.equal((await check(webToken(key), { documents: [documentOf(key, form)] })).valid, true);
                const wrong = await check(webToken(key), { documents: [documentOf(other, form)] });
                assert.equal(wrong.error, 'The key that signed the token is not one of its issuer.');
            }
            const swapped = documentOf(key, () => asJwk(other));
            assert.equal((await check(webToken(key), { documents: [swapped] })).valid, false);
            const isPrivate = documentOf(key, () => ({ publicKeyJwk: { ...key.jwk, d: key.jwk['x'] } }));
            assert.equal((await check(webToken(key), { documents: [isPrivate] })).valid, false);
            assert.equal((await check(webToken(key))).error, 'The keys of the issuer are not known.');
        });
    }

    it('accepts the signature of the holder only for the audience and the nonce that are asked for', async () => {
        const token = sdJwt({ issuer: p256, payload: { cnf: { jwk: other.jwk } } });
        const binding = { audience: 'https://verifier.example', nonce: 'n-1' };
        const shown = bound(token, { holder: other });
        assert.equal((await check(shown, { binding })).valid, true);
        assert.equal((await check(shown, { binding: { ...binding, nonce: 'n-2' } })).valid, false);
        assert.equal((await check(shown, { binding, now: NOW + 600_000 })).valid, false);
        assert.equal((await check(shown)).valid, false);
        assert.equal((await check(token, { binding })).valid, false);
        const paseto = await check(credentialToken(newSigner()), { binding });
        assert.equal(paseto.error, 'The token has no key binding.');
        for (const odd of [null, 5, {}, { audience: 'x' }, { audience: 'x', nonce: '' }]) {
            await assert.rejects(check(shown, { binding: odd as never }), TypeError);
        }
    });
});

describe('the status of an SD-JWT', () => {
    const listOf = (signer: Party, header: object, payload: object = {}): string => {
        const times = { iat: NOW / 1_000, exp: 32_472_144_000, ttl: 60 };
        const list = { bits: 1, lst: lstOf(Uint8Array.of(0b10)) };
        return jwt(signer, { typ: 'statuslist+jwt', ...header }, { sub: uri, ...times, status_list: list, ...payload });
    };
    const place = (idx: number, iss?: string) => ({ status: { status_list: { idx, uri, iss } } });

    for (const key of [ed25519, p256]) {
        const documents = [documentOf(key, asJwk)];
        const kid = `${WEB}#${nameOf(key)}`;
        it(`stands on a list that its did:web signs with ${key.alg}`, async () => {
            for (const payload of [{}, { iss: WEB }]) {
                const status = listOf(key, { kid }, payload);
                assert.equal((await check(webToken(key, place(0)), { documents, status })).status, 'valid');
                const revoked = await check(webToken(key, place(1)), { documents, status });
                assert.deepEqual([revoked.valid, revoked.status, revoked.revoked], [false, 'revoked', true]);
            }
        });

        it(`stands on a list of its did:key with ${key.alg}, or of a did:key that it names`, async () => {
            const own = sdJwt({ issuer: key, payload: place(0) });
            assert.equal((await check(own, { status: listOf(key, { kid: `#${nameOf(key)}` }) })).status, 'valid');
            const named = sdJwt({ issuer: key, payload: place(0, other.did) });
            const status = listOf(other, {}, { iss: other.did });
            assert.equal((await check(named, { status })).status, 'valid');
            assert.equal((await check(own, { status })).status, 'unknown');
            const unknown = await check(named, { status: listOf(key, {}) });
            assert.deepEqual([unknown.status, unknown.valid, unknown.disclosed], ['unknown', false, undefined]);
        });
    }

    it('is unknown if a key that is none of its issuer signed the list, or if the list names no key', async () => {
        const documents = [documentOf(p256, asJwk)];
        const token = webToken(p256, place(0));
        const bad = [
            listOf(other, { kid: `${WEB}#${nameOf(other)}` }),
            listOf(other, { kid: `${WEB}#${nameOf(p256)}` }),
            listOf(p256, {}),
            listOf(p256, { kid: '1' }),
            listOf(p256, { kid: `${WEB}#${nameOf(p256)}` }, { iss: other.did }),
            listOf(p256, { kid: `${WEB}#${nameOf(p256)}`, typ: 'JWT' }),
        ];
        for (const status of bad) {
            const { valid, status: read } = await check(token, { documents, status });
            assert.deepEqual([valid, read], [false, 'unknown']);
        }
    });

    it('is the one that another library reads from the same list', async () => {
        const kid = `${WEB}#${nameOf(p256)}`;
        for (const [idx, isValid] of [
            [0, true],
            [1, false],
        ] as const) {
            const library = new SDJwtVcInstance({
                hasher: (text) => Buffer.from(digest(String(text)), 'base64url'),
                verifier: async () => true,
                statusListFetcher: async () => listOf(p256, { kid }),
                loadTypeMetadataFormat: false,
            });
            const read = library.verify(webToken(p256, place(idx)), { currentDate: NOW / 1_000 });
            await (isValid ? read : assert.rejects(read, /[Ss]tatus/));
        }
    });
});
