import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportJWK, importJWK, type JWK } from 'jose';
import { expectError, expectOk } from '../support/client.ts';
import { documentOf, managing } from './issuers.fixture.ts';

/** The compressed point that a JWK stands for, in base64. */
function compressed({ x, y }: { x?: string | undefined; y?: string | undefined }): string {
    const last = Buffer.from(y ?? '', 'base64url').at(-1) ?? 0;
    return Buffer.concat([Buffer.of(2 + (last & 1)), Buffer.from(x ?? '', 'base64url')]).toString('base64');
}

const ES256 = { body: { alg: 'ES256' } };

describe('an issuer with a key of ES256', () => {
    it('shows it in its DID document as a JWK, beside the one of Ed25519', async () => {
        const { calls, issuer } = await managing();
        const made = await expectOk(201, calls.rotate(issuer.issuer_id, ES256));
        assert.deepEqual([made.alg, made.previous], ['ES256', undefined]);
        const ids = [made.kid, issuer.kid].map((kid) => `${issuer.did}#${kid}`);

        const document = await documentOf(issuer, 1);
        assert.deepEqual(document['@context'].at(-1), 'https://w3id.org/security/suites/jws-2020/v1');
        const [p256, ed25519] = document.verificationMethod;
        assert.deepEqual([p256?.id, p256?.type], [ids[0], 'JsonWebKey2020']);
        assert.deepEqual([ed25519?.id, ed25519?.publicKeyMultibase], [ids[1], issuer.kid]);
        assert.deepEqual([document.authentication, document.assertionMethod], [ids, ids]);

        const jwk = p256?.publicKeyJwk as JWK;
        const { kty, crv, x, y } = await exportJWK(await importJWK(jwk, 'ES256'));
        assert.deepEqual(jwk, { kty, crv, x, y });
        assert.equal(compressed(jwk), made.public_key);
    });

    it('signs PASETO tokens with its key of EdDSA, and lists both', async () => {
        const { calls, issuer, issued, verdicts } = await managing();
        const { kid } = await expectOk(201, calls.rotate(issuer.issuer_id, ES256));
        const { credential } = await issued();
        for (const { valid } of await verdicts(credential)) assert.equal(valid, true);
        const { keys } = await expectOk(200, calls.get(issuer.issuer_id, { gateway: 1 }));
        assert.deepEqual(
            keys.map((key: { kid: string; alg: string; state: string }) => [key.kid, key.alg, key.state]),
            [
                [kid, 'ES256', 'active'],
                [issuer.kid, 'EdDSA', 'active'],
            ],
        );
        await expectOk(200, calls.compromise(issuer.issuer_id, kid));
        assert.equal((await documentOf(issuer)).verificationMethod.length, 1);
        for (const { valid } of await verdicts(credential)) assert.equal(valid, true);
    });

    it('signs no PASETO token before it has a key of EdDSA', async () => {
        const { calls } = await managing();
        const made = await expectOk(201, calls.create({ name: 'Wallets only', method: 'web', alg: 'ES256' }));
        assert.equal(made.alg, 'ES256');
        const { body } = await expectError(409, calls.issue(made.did));
        assert.equal(body.error, 'This issuer has no active EdDSA key. Rotate it with alg EdDSA first.');
        assert.equal((await expectOk(201, calls.rotate(made.issuer_id))).alg, 'ES256');
        await expectOk(201, calls.rotate(made.issuer_id, { body: { alg: 'EdDSA' } }));
        await expectOk(201, calls.issue(made.did));
        assert.equal((await expectOk(201, calls.rotate(made.issuer_id))).alg, 'EdDSA');
    });

    it('is a did:web, and its algorithm one that the service knows', async () => {
        const { calls, issuer } = await managing();
        await expectError(400, calls.create({ name: 'a', method: 'key', alg: 'ES256' }));
        for (const alg of ['es256', 'RS256', 'none', '', 1]) {
            assert.match((await expectError(400, calls.create({ name: 'a', method: 'web', alg }))).body.error, /alg/);
            assert.match((await expectError(400, calls.rotate(issuer.issuer_id, { body: { alg } }))).body.error, /alg/);
        }
    });
});
