import assert from 'node:assert/strict';
import test from 'node:test';
import bs58 from 'bs58';
import fc from 'fast-check';
import { decodeDidKey, isDid } from '../../../../tokens/did-key.ts';
import { didKeyFragment, encodeDidKey } from '../../../../workers/crypto/did-key.ts';
import type { PublicKey } from '../../../../workers/crypto/ed25519.ts';
import { cpuMs } from '../../cpu-time.ts';

const DID = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bytes as PublicKey); // 32 bytes
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

test('any 32 bytes have one DID of 56 characters, which decodes to them', () => {
    const edges = [0, 255].map((byte) => new Uint8Array(32).fill(byte) as PublicKey); // 32 bytes
    fc.assert(
        fc.property(fc.oneof(fc.constantFrom(...edges), key), (publicKey) => {
            const did = encodeDidKey(publicKey);
            assert.equal(did.length, 56);
            assert.deepEqual(decodeDidKey(did), publicKey);
            assert.equal(isDid(did), true);
            assert.equal(did, `did:key:${didKeyFragment(did)}`);
        }),
    );
});

test('no two texts are the DID of one key', () => {
    fc.assert(
        fc.property(
            key,
            fc.integer({ min: 0, max: 55 }),
            fc.constantFrom(...ALPHABET, '0', 'O', 'l', 'é'),
            (publicKey, at, character) => {
                const did = encodeDidKey(publicKey);
                const other = did.slice(0, at) + character + did.slice(at + 1);
                const decoded = decodeDidKey(other);
                if (decoded !== undefined) assert.equal(encodeDidKey(decoded), other);
            },
        ),
        { numRuns: 2000 },
    );
});

test('everything but the exact form of an Ed25519 did:key is refused', () => {
    const otherCodec = `did:key:z${bs58.encode(Uint8Array.of(0xec, 0x01, ...new Uint8Array(32)))}`;
    const longKey = `did:key:z${bs58.encode(Uint8Array.of(0xed, 0x01, ...new Uint8Array(33)))}`;
    const others = [
        '',
        'did:key:',
        'did:key:z',
        'did:web:x',
        'DID:key:z6Mk',
        `${DID}#${didKeyFragment(DID)}`,
        `${DID}?a=b`,
        ` ${DID}`,
    ];
    const near = [
        DID.slice(0, -1),
        `${DID}1`,
        DID.replace('z6Mk', 'z16Mk'),
        DID.replace('z6M', '6Mz'),
        DID.replace('key', 'KEY'),
    ];
    for (const text of [...others, ...near, otherCodec, longKey, `did:key:z6Mk${'z'.repeat(44)}`]) {
        assert.equal(decodeDidKey(text), undefined, text);
    }
});

test('a long text is refused by its length, before the quadratic decoding', () => {
    const start = cpuMs();
    assert.equal(decodeDidKey(`did:key:z6Mk${'z'.repeat(1_000_000)}`), undefined);
    assert.ok(cpuMs() - start < 50);
});

test('a key of small order has a well-formed DID, but its signatures never verify', () => {
    const zero = new Uint8Array(32) as PublicKey; // 32 bytes
    assert.deepEqual(decodeDidKey(encodeDidKey(zero)), zero);
});

test('a subject or an audience may be a DID of any method', () => {
    for (const text of [
        DID,
        'did:web:example.com',
        'did:web:example.com%3A3000:user',
        'did:a1:-._',
        'did:x::a',
        'did:plc:a:b:c',
    ]) {
        assert.equal(isDid(text), true, text);
    }
    const bad = [
        '',
        'did',
        'did:',
        'did:x',
        'did:x:',
        'did:X:a',
        'did:x:a:',
        'DID:x:a',
        'did::a',
        'did:x:a/b',
        'did:x:a?b',
        'did:x:a#b',
        'did:x:a b',
    ];
    for (const text of [
        ...bad,
        'did:x:%',
        'did:x:%4',
        'did:x:%zz',
        'did:x:é',
        'did:x:a\n',
        ' did:x:a',
        `did:x:${'a'.repeat(2043)}`,
    ]) {
        assert.equal(isDid(text), false, text);
    }
    assert.equal(isDid(`did:x:${'a'.repeat(2042)}`), true);
});
