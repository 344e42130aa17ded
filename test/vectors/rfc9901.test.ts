import assert from 'node:assert/strict';
import { createPublicKey, hash, verify } from 'node:crypto';
import test from 'node:test';
import { decodeBase64Url } from '../../platform/base64.ts';
import { jsonObjectOf, splitJws } from '../../tokens/jws.ts';
import { processDisclosures, splitSdJwt } from '../../tokens/sd-jwt.ts';
import { decodeUtf8 } from '../../verify/src/primitives.ts';
import vectors from './rfc9901/examples.json' with { type: 'json' };

const PRIMITIVES = { decodeBase64Url, decodeUtf8, digest: (text: string) => hash('sha256', text, 'base64url') };
const issuerKey = createPublicKey({ key: vectors.issuer_key, format: 'jwk' });

function read(token: string) {
    const parts = splitSdJwt(token);
    assert.ok(parts);
    const jws = splitJws(parts.jwt, PRIMITIVES);
    assert.ok(!('fault' in jws));
    const payload = jsonObjectOf(jws.payload, PRIMITIVES);
    assert.ok(payload);
    return { ...parts, jws, payload };
}

assert.equal(vectors.examples.length, 8);
for (const [i, { section, token, processed }] of vectors.examples.entries()) {
    test(`example ${i + 1}, of section ${section}: the issuer has signed it`, () => {
        const { jws } = read(token);
        assert.equal(jws.alg, 'ES256');
        assert.ok(verify('sha256', jws.signed, { key: issuerKey, dsaEncoding: 'ieee-p1363' }, jws.signature));
    });

    test(`example ${i + 1}, of section ${section}: every disclosed claim gets into its place`, () => {
        const { payload, disclosures } = read(token);
        const result = processDisclosures(payload, disclosures, PRIMITIVES);
        assert.ok(!('fault' in result));
        assert.equal(result.disclosed.length, disclosures.length);
        if (processed) assert.deepEqual(JSON.parse(JSON.stringify(result.payload)), processed);
    });

    if (token.endsWith('~')) continue;
    test(`example ${i + 1}, of section ${section}: the holder has signed what stands before her signature`, () => {
        const { binding } = read(token);
        assert.ok(binding);
        const jws = splitJws(binding.jwt, PRIMITIVES);
        assert.ok(!('fault' in jws));
        assert.equal(jws.typ, 'kb+jwt');
        assert.equal(jsonObjectOf(jws.payload, PRIMITIVES)?.['sd_hash'], PRIMITIVES.digest(binding.covered));
    });
}

test('an example without one of its disclosures shows less, and with one of another it is refused', () => {
    const [first, , third] = vectors.examples.map(({ token }) => read(token));
    assert.ok(first && third);
    const fewer = processDisclosures(first.payload, first.disclosures.slice(1), PRIMITIVES);
    assert.ok('disclosed' in fewer);
    assert.equal(fewer.disclosed.length, first.disclosures.length - 1);
    const foreign = processDisclosures(first.payload, [...first.disclosures, ...third.disclosures], PRIMITIVES);
    assert.ok('fault' in foreign);
});
