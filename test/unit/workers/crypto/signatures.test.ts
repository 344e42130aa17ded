import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { encodeDidKey, encodeP256DidKey } from '../../../../workers/crypto/did-key.ts';
import {
    type KeyPair,
    type PublicKey,
    publicKeyOf,
    secretKeyBytes,
    verify,
} from '../../../../workers/crypto/ed25519.ts';
import {
    publicKeyOf as publicKeyOfP256,
    signingKeyOf,
    verify as verifyEs256,
} from '../../../../workers/crypto/es256.ts';
import { signPublic, signToken } from '../../../../workers/crypto/paseto.ts';
import type { Signatures } from '../../../../workers/crypto/signatures.ts';
import { inlineSignatures } from '../../../support/issuers/inline-signatures.ts';
import { MALFORMED, NOTHING, newPool } from './signatures.fixture.ts';

const pool = newPool();
after(() => pool.close());

const FOREIGN = { kind: 'invalid', detail: 'The private key does not belong to the DID.' };

/** A token of a payload of any bytes, which are signed unchanged. */
function tokenOf(payload: string | Uint8Array, { seed, public_key }: KeyPair): string {
    const message = Buffer.from(payload);
    return signPublic({ message, footer: NOTHING, implicit: NOTHING, seed, public_key });
}

for (const [name, signatures] of [
    ['inline', inlineSignatures()],
    ['on threads', pool],
] as Array<[string, Signatures]>) {
    let key: KeyPair & { did: string };
    let secretKey: Uint8Array;
    before(async () => {
        key = await signatures.generate();
        secretKey = secretKeyBytes(key.seed, key.public_key);
    });

    const reasonOf = async (token: string, did?: string) => {
        const opened = await signatures.open({ token, did, members: [], raw: ['claims'] });
        return opened.ok ? 'ok' : opened.reason;
    };

    test(`${name}: signs JWS with either algorithm`, async () => {
        const p256 = await signatures.generateP256();
        assert.equal(encodeP256DidKey(p256.public_key), p256.did);
        assert.deepEqual(publicKeyOfP256(p256.secret), p256.public_key);
        assert.equal(p256.secret.buffer.byteLength, 32, 'the secret has its own memory');
        const text = { header: '{"typ":"a"}', payload: '{"a":"é"}' };
        const jws = {
            EdDSA: await signatures.signJws({ secretKey: key.seed, ...text }),
            ES256: await signatures.signJws({ secretKey: signingKeyOf(p256.secret), ...text }),
        };
        for (const [alg, token] of Object.entries(jws)) {
            const [header = '', payload = '', tail = ''] = token.split('.');
            assert.deepEqual(
                [header, payload].map((part) => Buffer.from(part, 'base64url').toString()),
                [text.header, text.payload],
            );
            const [signature, message] = [Buffer.from(tail, 'base64url'), Buffer.from(`${header}.${payload}`)];
            const isValid =
                alg === 'ES256'
                    ? verifyEs256(signature, message, p256.public_key)
                    : verify(signature, message, key.public_key);
            assert.equal(isValid, true, alg);
        }
    });

    test(`${name}: the keys of a new pair belong to each other and to their DID`, () => {
        assert.deepEqual(publicKeyOf(key.seed), key.public_key);
        assert.equal(encodeDidKey(key.public_key), key.did);
        assert.equal(key.seed.buffer.byteLength, 32, 'the seed has its own memory');
    });

    test(`${name}: a token opens to what was signed, with the exact text of raw members`, async () => {
        const claims = '{"n":12345678901234567890,"2":1.0,"1":-0,"__proto__":{"a":1}, "e":1e2}';
        const long = JSON.stringify(Array(1_001).fill(''));
        const others = `"__proto__":{"b":2},"metadata":[1],"list":["a",""],"long":${long},"other":{}`;
        const payload = `{"iss":"${key.did}","claims":${claims},${others}}`;
        for (const form of [secretKey, key.seed]) {
            const token = await signatures.sign({ did: key.did, secretKey: form, payload });
            for (const did of [key.did, undefined]) {
                const members = ['iss', 'list', 'metadata', 'long', 'absent', 'constructor'];
                const opened = await signatures.open({ token, did, members, raw: ['claims', 'metadata', 'absent'] });
                assert.ok(opened.ok);
                assert.deepEqual(opened.raw, { claims });
                const payload = { iss: key.did, list: ['a', ''], metadata: null, long: null };
                assert.deepEqual(opened.payload, payload, 'only requested members, and only strings and short lists');
            }
        }
    });

    test(`${name}: a key that is malformed or not the DID's is refused, and signs nothing`, async () => {
        const other = await signatures.generate();
        const mixed = secretKeyBytes(key.seed, other.public_key);
        const sign = (bytes: Uint8Array) => signatures.sign({ did: key.did, secretKey: bytes, payload: '{}' });
        for (const foreign of [secretKeyBytes(other.seed, other.public_key), other.seed]) {
            await assert.rejects(sign(foreign), FOREIGN);
        }
        for (const malformed of [mixed, secretKey.subarray(1), NOTHING]) {
            await assert.rejects(sign(malformed), MALFORMED);
        }
        await assert.rejects(signatures.sign({ did: 'did:web:x', secretKey, payload: '{}' }), FOREIGN);
    });

    test(`${name}: a token opens only under its own key`, async () => {
        const other = await signatures.generate();
        const payload = JSON.stringify({ iss: key.did });
        const token = tokenOf(payload, key);
        assert.equal(await reasonOf(token), 'ok');
        assert.equal(await reasonOf(token, key.did), 'ok');
        assert.equal(await reasonOf(token, other.did), 'The signature is not valid.');
        assert.equal(await reasonOf(tokenOf(payload, other)), 'The signature is not valid.');
        for (const iss of [undefined, 5, {}, 'did:web:x', `${key.did}#1`]) {
            assert.equal(
                await reasonOf(tokenOf(JSON.stringify({ iss }), key)),
                'The issuer is not an Ed25519 did:key.',
            );
        }
        assert.equal(await reasonOf(token, 'did:web:x'), 'The issuer is not an Ed25519 did:key.');
    });

    test(`${name}: a token under a key of small order never opens`, async () => {
        const zero = new Uint8Array(32) as PublicKey; // 32 bytes
        const did = encodeDidKey(zero);
        const signature = new Uint8Array(64);
        signature[0] = 1; // R of order 1 and S = 0: what a lax check accepts for such a key
        const body = Buffer.concat([Buffer.from(JSON.stringify({ iss: did })), signature]).toString('base64url');
        assert.equal(await reasonOf(`v4.public.${body}`), 'The signature is not valid.');
    });

    test(`${name}: a payload that is not strict JSON is refused, even if its signature is valid`, async () => {
        const refusals: Array<[string | Uint8Array, string]> = [
            ['[]'.padEnd(20), 'The payload is not a JSON object.'],
            ['null', 'The payload is not a JSON object.'],
            ['57', 'The payload is not a JSON object.'],
            ['"text"', 'The payload is not a JSON object.'],
            ['not JSON', 'The payload is not acceptable JSON: not valid JSON.'],
            ['\ufeff{}', 'The payload is not acceptable JSON: not valid JSON.'],
            ['{"a":1,"a":2}', 'The payload is not acceptable JSON: a key stands twice in one object.'],
            ['{"a":"\\u0000"}', 'The payload is not acceptable JSON: NUL character in a string.'],
            [
                '['.repeat(50_000) + ']'.repeat(50_000),
                'The payload is not acceptable JSON: nested deeper than 32 levels.',
            ],
            [Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 'The payload is not UTF-8.'],
            [Buffer.from('eda0807b7d', 'hex'), 'The payload is not UTF-8.'],
        ];
        for (const [payload, reason] of refusals) assert.equal(await reasonOf(tokenOf(payload, key), key.did), reason);
    });

    test(`${name}: a token with a bad signature reveals nothing about its payload, not even an error in it`, async () => {
        const other = await signatures.generate();
        for (const payload of ['{"a":1,"a":2}', 'not JSON', '[]'.padEnd(20), Uint8Array.of(0x7b, 0xff, 0x7d)]) {
            assert.equal(await reasonOf(tokenOf(payload, other), key.did), 'The signature is not valid.');
        }
    });

    test(`${name}: a text that is no token gives a negative answer, not an error`, async () => {
        for (const text of [
            '',
            'v4.public.',
            'x'.repeat(2_000_000),
            signToken('{}', key.seed, key.public_key).slice(0, -1),
        ]) {
            assert.equal(await reasonOf(text, key.did), 'The token is not a well-formed v4.public token.');
        }
    });
}
