import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeBase64Url } from '../../platform/base64.ts';
import { isToken, signedBytes, splitToken, verifyToken } from '../../tokens/v4-public.ts';
import { PRIMITIVES } from '../../verify/src/primitives.ts';
import { type PublicKey, type Seed, verify } from '../../workers/crypto/ed25519.ts';
import { signPublic } from '../../workers/crypto/paseto.ts';
import vectors from './paseto/v4.json' with { type: 'json' };

const NODE = { decodeBase64Url, verify };
const signed = vectors.tests.filter((vector) => vector.name.startsWith('4-S-'));
const others = vectors.tests.filter((vector) => !vector.name.startsWith('4-S-'));
assert.equal(signed.length, 3);
assert.equal(others.length, 14);

for (const vector of signed) {
    const seed = Buffer.from(vector['secret-key-seed'] ?? '', 'hex') as Uint8Array as Seed; // 32 bytes
    const publicKey = Buffer.from(vector['public-key'] ?? '', 'hex') as Uint8Array as PublicKey; // 32 bytes
    const implicit = Buffer.from(vector['implicit-assertion']);
    const footer = Buffer.from(vector.footer);

    test(`${vector.name}: the token is made to the byte`, () => {
        const message = Buffer.from(vector.payload ?? '');
        assert.equal(signPublic({ message, footer, implicit, seed, public_key: publicKey }), vector.token);
    });

    test(`${vector.name}: the token verifies with its own footer and implicit assertion only`, () => {
        const parts = splitToken(vector.token, NODE);
        assert.ok(parts !== undefined);
        const { message, signature } = parts;
        const isSigned = (more: { footer: Uint8Array; implicit: Uint8Array }) =>
            verify(signature, signedBytes({ message, ...more }), publicKey);
        assert.equal(Buffer.from(message).toString(), vector.payload);
        assert.deepEqual(parts.footer, footer);
        assert.equal(isSigned({ footer, implicit }), true);
        const other = Buffer.from(`${vector['implicit-assertion']}x`);
        assert.equal(isSigned({ footer, implicit: other }), false);
        assert.equal(isSigned({ footer: Buffer.from(`${vector.footer}x`), implicit }), false);
    });

    for (const [name, primitives] of Object.entries({ 'the service': NODE, 'the offline verifier': PRIMITIVES })) {
        test(`${vector.name}: as a token of ${name}, it verifies exactly when it has no footer`, () => {
            const parts = splitToken(vector.token, primitives);
            assert.ok(parts !== undefined);
            assert.equal(verifyToken(parts, publicKey, primitives), vector.footer === '');
        });
    }
}

for (const vector of others.filter(({ token }) => !token.startsWith('v4.public.'))) {
    test(`${vector.name}: refused, for it is no v4.public token`, () => {
        assert.equal(isToken(vector.token), false);
        assert.equal(splitToken(vector.token, NODE), undefined);
    });
}

test('4-F-2: a v4.public token offered to another purpose, with a footer of its own, never verifies here', () => {
    const vector = others.find(({ name }) => name === '4-F-2');
    const parts = splitToken(vector?.token ?? '', NODE);
    assert.ok(parts !== undefined);
    const publicKey = Buffer.from(signed[0]?.['public-key'] ?? '', 'hex') as Uint8Array as PublicKey; // 32 bytes
    assert.equal(verifyToken(parts, publicKey, NODE), false);
});
