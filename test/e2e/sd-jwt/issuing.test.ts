import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { digest, ES256, generateSalt } from '@sd-jwt/crypto-nodejs';
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc';
import type { CredentialsIssueInput } from '../../../client/src/client.ts';
import { type DidDocument, verifyCredential } from '../../../verify/src/verify.ts';
import { until } from '../../support/until.ts';
import { expectError, GATEWAYS, send, service } from '../support/client.ts';
import { aManagedIssuer, newDid, verify } from '../support/world.ts';

const SUBJECT = 'did:web:ada.example';
const VCT = 'https://club.example/membership';
const CLAIMS = { given_name: 'Ada', address: { city: 'London', country: 'GB' }, sports: ['chess', 'rowing'] };

/** A managed issuer that signs with `alg`, and a function that issues SD-JWTs of it. */
async function anSdJwtIssuer(alg: 'EdDSA' | 'ES256' = 'EdDSA') {
    const { token, did, issuer_id } = await aManagedIssuer();
    if (alg !== 'EdDSA') await service.as({ token }).issuers.rotate({ issuer_id, alg });
    const input: CredentialsIssueInput = {
        issuer_did: did,
        subject_did: SUBJECT,
        credential_type: VCT,
        format: 'dc+sd-jwt',
        claims: CLAIMS,
    };
    const issue = (more: Partial<CredentialsIssueInput> = {}) =>
        service.as({ token }).credentials.issue({ ...input, ...more });
    return { token, did, issuer_id, input, issue };
}

async function textAt(path: string): Promise<string> {
    const answer = await fetch(`${GATEWAYS[0]}${path}`);
    assert.equal(answer.status, 200, path);
    return answer.text();
}

async function documentOf(issuerId: string): Promise<DidDocument> {
    return JSON.parse(await textAt(`/issuers/${issuerId}/did.json`));
}

/** What an independent implementation reads, which has verified the signature with a key of the DID document. */
async function readByOthers(credential: string, issuerId: string) {
    const { verificationMethod = [] } = await documentOf(issuerId);
    const methods = verificationMethod as ReadonlyArray<{ id: string; publicKeyJwk?: object }>; // as its schema says
    const { kid } = JSON.parse(Buffer.from(credential.split('.')[0] ?? '', 'base64url').toString());
    const verifier = await ES256.getVerifier(methods.find(({ id }) => id === kid)?.publicKeyJwk ?? {});
    const reader = new SDJwtVcInstance({ verifier, hasher: digest, saltGenerator: generateSalt, hashAlg: 'sha-256' });
    return (await reader.verify(credential)).payload;
}

describe('a credential that is issued as dc+sd-jwt', () => {
    it('is verified by another implementation, with the key of ES256 in the DID document', async () => {
        const { did, issuer_id, issue } = await anSdJwtIssuer('ES256');
        const { credential, credential_id, issued_at, expires_at } = await issue({ expiration_date: '2999-01-01' });
        assert.deepEqual(await readByOthers(credential, issuer_id), {
            ...{ iss: did, sub: SUBJECT, vct: VCT, jti: credential_id, ...CLAIMS },
            iat: Math.floor(Date.parse(issued_at) / 1_000),
            exp: Date.parse(expires_at ?? '') / 1_000,
        });
    });

    for (const alg of ['EdDSA', 'ES256'] as const) {
        it(`is verified by the service and offline if its key is of ${alg}`, async () => {
            const { token, did, issuer_id, issue } = await anSdJwtIssuer(alg);
            const { credential } = await issue();
            const answer = await verify(token, credential, did);
            const expected = { valid: true, issuer: did, subject: SUBJECT, credential_type: VCT, claims: CLAIMS };
            assert.partialDeepStrictEqual(answer, expected);
            assert.deepEqual(new Set(answer.disclosed), new Set(['/given_name', '/address', '/sports']));
            const offline = await verifyCredential(credential, { documents: [await documentOf(issuer_id)] });
            assert.partialDeepStrictEqual(offline, expected);
        });
    }

    it('hides what its issuer names, and what it names alone', async () => {
        const { token, did, issue } = await anSdJwtIssuer();
        const { credential } = await issue({ disclosable: ['/address/city', '/sports/1'] });
        const [jwt = '', ...disclosures] = credential.split('~');
        assert.equal(disclosures.length, 3); // the last one is empty
        const { claims } = await verify(token, `${jwt}~`, did);
        assert.deepEqual(claims, { given_name: 'Ada', address: { country: 'GB' }, sports: ['chess'] });
        const { credential: open } = await issue({ disclosable: [] });
        assert.match(open, /^[^~]+~$/);
    });

    it('names the key of its holder', async () => {
        const { did, issue } = await anSdJwtIssuer();
        const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
        const payloadOf = ({ credential }: { credential: string }) =>
            JSON.parse(Buffer.from(credential.split('.')[1] ?? '', 'base64url').toString());
        const byKey = await issue({ holder_key: { kty, crv, x, y, kid: 'of the wallet' } });
        assert.deepEqual(payloadOf(byKey).cnf, { jwk: { kty, crv, x, y } });
        assert.equal(payloadOf(byKey).iss, did);
        const { did: holder } = await newDid((await aManagedIssuer()).token);
        const url = `${holder}#${holder.slice('did:key:'.length)}`;
        assert.deepEqual(payloadOf(await issue({ holder_did_url: url })).cnf, { kid: url });
    });

    it('has its place on a list that its issuer has signed, where a revocation shows', async () => {
        const { token, did, issuer_id, issue } = await anSdJwtIssuer('ES256');
        const { credential, credential_id, status } = await issue({ status_list: true });
        const { uri, iss } = status?.status_list ?? assert.fail('it has no place');
        assert.equal(iss, did);
        const documents = [await documentOf(issuer_id)];
        const statusOf = async () => {
            const list = await textAt(new URL(uri).pathname);
            return (await verifyCredential(credential, { documents, status: list })).status;
        };
        assert.equal(await statusOf(), 'valid');
        await service.as({ token }).credentials.revoke({ credential_id, issuer_did: did });
        await until('the list shows the revocation', async () => (await statusOf()) === 'revoked');
        const { revoked } = await service
            .as({ token })
            .credentials.verify({ credential, issuer_did: did, check_revocation: true });
        assert.equal(revoked, true);
    });

    it('is the same credential if the call is repeated with its Idempotency-Key', async () => {
        const { token, did, input } = await anSdJwtIssuer();
        const call = { method: 'POST', path: '/v1/credentials', token, body: { ...input, status_list: true } };
        const headers = { 'idempotency-key': randomUUID() };
        const { data: first } = await send({ ...call, headers });
        const { data: again } = await send({ ...call, headers, gateway: 1 });
        assert.deepEqual({ ...again, credential: '' }, { ...first, credential: '' });
        assert.equal((await verify(token, again.credential, did)).valid, true);
        const other = { ...call, body: { ...call.body, format: undefined, credential_type: VCT } };
        await expectError(422, { ...other, headers });
    });

    it('is issued in a batch beside PASETO tokens', async () => {
        const { token, did, input } = await anSdJwtIssuer();
        const { issuer_did, ...item } = input;
        const { format: _, ...paseto } = item;
        const items = [item, paseto, { ...item, claims: { iss: 'another' } }];
        const { results } = await service.as({ token }).credentials.batch.issue({ issuer_did, items });
        const [first, second, third] = results.map((result) => ('credential' in result ? result.credential : ''));
        assert.deepEqual([first?.includes('~'), second?.startsWith('v4.public.'), third], [true, true, '']);
        assert.equal((await verify(token, first ?? '', did)).valid, true);
    });

    it('is not issued in a batch that names its form beside the items', async () => {
        const { token, input } = await anSdJwtIssuer();
        const { issuer_did, format, ...item } = input;
        const forms = { format, vct: VCT, disclosable: [], holder_key: {}, holder_did_url: 'did:jwk:x#0' };
        const call = { method: 'POST', path: '/v1/credentials/batch/issue', token };
        for (const [name, value] of Object.entries(forms)) {
            const { body } = await expectError(400, { ...call, body: { issuer_did, [name]: value, items: [item] } });
            assert.equal(body.error, `${name} belongs in each item.`);
        }
        const { status } = await send({ ...call, body: { issuer_did, format: null, items: [item] } });
        assert.equal(status, 200);
    });

    it('is issued in a batch only if the answer fits into a message', async () => {
        const { token, input } = await anSdJwtIssuer();
        const { issuer_did, ...item } = input;
        const claims = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`claim${i}`, 'a value of a claim']));
        const items = Array.from({ length: 1_000 }, () => ({ ...item, claims }));
        const path = '/v1/credentials/batch/issue';
        const { body } = await expectError(413, { method: 'POST', path, token, body: { issuer_did, items } });
        assert.match(body.error, /1 MiB of text/);
        const { results } = await service.as({ token }).credentials.batch.issue({
            issuer_did,
            items: items.slice(0, 400),
        });
        assert.ok(results.every(({ ok }) => ok));
    });
});

it('a request for dc+sd-jwt that no wallet could use is refused', async () => {
    const { token, input } = await anSdJwtIssuer();
    const own = await newDid(token);
    const key = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) };
    const wrong: Array<[object, RegExp]> = [
        [{ format: 'jwt_vc_json' }, /format must be dc\+sd-jwt/],
        [{ format: undefined, vct: VCT }, /vct needs the format/],
        [{ format: null, disclosable: ['/given_name'] }, /disclosable needs the format/],
        [{ credential_type: 'Membership' }, /vct must be a URI/],
        [{ vct: 'a b' }, /vct must be a URI/],
        [{ claims: { iss: SUBJECT } }, /claims may not have a member named iss/],
        [{ claims: { cnf: {} } }, /claims may not have a member named cnf/],
        [{ claims: { a: { _sd: [] } } }, /_sd/],
        [{ claims: { a: [9_007_199_254_740_992] } }, /2\^53 - 1/],
        [{ disclosable: ['given_name'] }, /disclosable\.0/],
        [{ disclosable: ['/given_name', '/given_name'] }, /disclosable\.1/],
        [{ disclosable: ['/nothing'] }, /disclosable\.0/],
        [{ disclosable: Array.from({ length: 1_001 }, () => '/given_name') }, /at most 1000/],
        [{ holder_key: { ...key, d: 'A'.repeat(43) } }, /holder_key/],
        [{ holder_key: { kty: 'oct', k: 'AAAA' } }, /holder_key/],
        [{ holder_key: key }, /holder_key must be a public JWK/], // zeros: a point of order 4
        [{ holder_key: key, holder_did_url: `${own.did}#${own.did.slice(8)}` }, /holder_did_url may not be set both/],
        [{ holder_did_url: own.did }, /holder_did_url/],
        [{ holder_did_url: `${SUBJECT}#1` }, /holder_did_url/],
        [{ issuer_did: own.did, issuer_private_key: own.private_key }, /did:web issuer/],
        [{ issuer_private_key: own.private_key }, /did:web issuer/],
    ];
    for (const [more, text] of wrong) {
        const body = { ...input, ...more };
        const { body: refusal } = await expectError(400, { method: 'POST', path: '/v1/credentials', token, body });
        assert.match(refusal.error, text, JSON.stringify(more));
    }
    const { issuer_did: _, ...item } = input;
    const batch = { issuer_did: own.did, issuer_private_key: own.private_key, items: [item] };
    const call = { method: 'POST', path: '/v1/credentials/batch/issue', token, body: batch };
    assert.match((await expectError(400, call)).body.error, /did:web issuer/);
    const stranger = await anSdJwtIssuer();
    const body = { ...input, issuer_did: stranger.did, status_list: true };
    await expectError(400, { method: 'POST', path: '/v1/credentials', token, body });
});
