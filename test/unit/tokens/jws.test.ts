import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompactSign, generateKeyPair } from 'jose';
import { encodeBase64Url } from '../../../platform/base64.ts';
import { splitJws } from '../../../tokens/jws.ts';
import { NODE } from './sd-jwts.ts';

const encoded = (text: string): string => encodeBase64Url(Buffer.from(text));
const withHeader = (header: string): string => `${encoded(header)}.${encoded('{}')}.AA`;
const faultOf = (token: string): string => {
    const jws = splitJws(token, NODE);
    return 'fault' in jws ? jws.fault : 'none';
};

describe('a JWS', () => {
    for (const alg of ['EdDSA', 'Ed25519', 'ES256'] as const) {
        it(`by another library with ${alg} is split`, async () => {
            const { privateKey } = await generateKeyPair(alg);
            const header = { alg, typ: 'dc+sd-jwt', kid: 'did:web:a.example#key', unknown: { a: 1 } };
            const token = await new CompactSign(Buffer.from('{"a":1}')).setProtectedHeader(header).sign(privateKey);
            const jws = splitJws(token, NODE);
            assert.ok(!('fault' in jws));
            assert.equal(jws.alg, alg === 'ES256' ? 'ES256' : 'EdDSA');
            assert.deepEqual([jws.typ, jws.kid], [header.typ, header.kid]);
            assert.equal(Buffer.from(jws.payload).toString(), '{"a":1}');
            assert.equal(jws.signature.length, 64);
            assert.equal(Buffer.from(jws.signed).toString(), token.slice(0, token.lastIndexOf('.')));
        });
    }

    for (const alg of ['none', 'HS256', 'RS256', 'ES384', 'eddsa', '__proto__', null, undefined, ['EdDSA']]) {
        it(`with the alg ${JSON.stringify(alg)} is refused`, () => {
            assert.equal(faultOf(withHeader(JSON.stringify({ alg }))), 'its alg is not EdDSA, Ed25519 or ES256');
        });
    }

    const others: Record<string, unknown> = {
        crit: ['exp'],
        b64: false,
        jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AA', d: 'AA' },
        jku: 'https://a.example/keys',
        x5u: 'https://a.example/chain',
        x5c: ['AA'],
        x5t: 'AA',
        'x5t#S256': 'AA',
    };
    for (const [name, value] of Object.entries(others)) {
        it(`with the member ${name} in its header is refused`, () => {
            assert.equal(
                faultOf(withHeader(JSON.stringify({ alg: 'ES256', [name]: value }))),
                `its header has the member ${name}`,
            );
        });
    }

    it('is refused if its header is not strict JSON, or too long', () => {
        const headers = [
            '',
            'x',
            '[]',
            'null',
            '{"alg":"ES256","alg":"ES256"}',
            '{"alg":"ES256",}',
            '{"alg":"ES256"}}',
        ];
        headers.push(
            `{"alg":"ES256","x":"${'x'.repeat(4_096)}"}`,
            `{"alg":"ES256","x":${'['.repeat(40)}${']'.repeat(40)}}`,
        );
        for (const header of headers) assert.match(faultOf(withHeader(header)), /not acceptable JSON/, header);
        for (const member of ['typ', 'kid']) {
            assert.match(faultOf(withHeader(`{"alg":"ES256","${member}":1}`)), /typ or its kid/);
        }
    });

    it('is refused if it is not three parts in canonical base64url', () => {
        const good = withHeader('{"alg":"ES256"}');
        assert.equal(faultOf(good), 'none');
        const bad = [
            `${good}.`,
            `${good}.AA`,
            `${good}B`,
            `${good}=`,
            ` ${good}`,
            good.slice(0, -3),
            `${good.slice(0, -1)}B`,
        ];
        for (const token of [...bad, `${good}${'.'.repeat(100_000)}`]) assert.match(faultOf(token), /not three parts/);
    });
});
