import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testContext } from '../../support/harness.ts';
import { nameOf, type Party, party, sdJwt } from '../../unit/tokens/sd-jwts.ts';
import { refuses, startServices } from './credentials.fixture.ts';

const WEB = 'did:web:credentials.example:issuers:01a1fac9-0ec3-7000-8c5d-2f7b9e0a6c11';
const UNKNOWN = WEB.replace('01a1fac9', '01a1faca');
const { did, signing, open } = await startServices();
const [ed25519, p256, compromised, other] = [party('EdDSA'), party('ES256'), party('ES256'), party('ES256')];

/** Knows the keys of one issuer, of both algorithms. */
const getKeys: typeof signing.getKeys = async ({ dids }) => ({
    issuers: dids
        .filter((asked) => asked === WEB)
        .map((found) => ({
            did: found,
            kids: [ed25519, p256].map(nameOf),
            compromised_kids: [nameOf(compromised)],
        })),
});
const credentials = open('owner', { did, signing: { ...signing, getKeys } });

const signedBy = (key: Party, iss = WEB): string =>
    sdJwt({ issuer: key, header: { kid: `${iss}#${nameOf(key)}` }, payload: { iss } });
const verify = (credential: string, issuerDid: string = WEB) =>
    credentials.verify({ credential, issuer_did: issuerDid, check_revocation: true }, testContext());

test('an SD-JWT of a did:web is valid if a key of this issuer has signed it, with either algorithm', async () => {
    for (const key of [ed25519, p256]) {
        const { valid, issuer, disclosed } = await verify(signedBy(key));
        assert.deepEqual([valid, issuer, disclosed], [true, WEB, { pointers: ['/role'] }]);
    }
});

test('an SD-JWT of a did:web is not valid if another key has signed it, or one that is compromised', async () => {
    assert.equal((await verify(signedBy(other))).error, 'The key that signed the token is not one of its issuer.');
    assert.equal((await verify(signedBy(compromised))).error, 'The key that signed the token is compromised.');
    const unnamed = await verify(sdJwt({ issuer: p256, payload: { iss: WEB } }));
    assert.equal(unnamed.error, 'The token does not name the key of its issuer.');
});

test('an SD-JWT of a did:web of another host is refused, or unknown if nobody says whose it should be', async () => {
    await refuses('invalid', verify(signedBy(p256, UNKNOWN), UNKNOWN));
    const item = { credential: signedBy(p256, UNKNOWN), issuer_did: undefined, check_revocation: false };
    const request = { credentials: [], check_revocation: false, items: [item] };
    const { item_results } = await credentials.verifyMany(request, testContext());
    assert.equal(item_results[0]?.value?.error, 'The keys of the issuer are not known.');
});

test('an SD-JWT in a presentation is no token: a presentation holds v4.public tokens', async () => {
    const request = { credentials: [signedBy(p256)], check_revocation: false, items: [] };
    const { results } = await credentials.verifyMany(request, testContext());
    assert.equal(results[0]?.error, 'The token is not a well-formed v4.public token.');
});
