import { hashRawSync } from '@node-rs/argon2';
import bs58 from 'bs58';
import sodium from 'sodium-native';
import { newCredential } from '../tokens.ts';
import type { Rounds } from './part.ts';

/** v4.public written straight over sodium: what any implementation has to do, and no more. */

const HEADER = 'v4.public.';
const SIGNATURE_BYTES = 64;
const BATCH = 32;
const ARGON2ID = { memoryCost: 19_456, timeCost: 2 };

interface Fixture {
    payload: object;
    token: string;
    public_key: Buffer;
    secret_key: Buffer;
}

export function cryptographyParts(): Record<'sign' | 'verify' | 'key_pair' | 'argon2id', Rounds> {
    const fixtures = Array.from({ length: BATCH }, (_, index) => fixture(index));
    const batch = (one: (fixture: Fixture) => void): Rounds => ({
        per_round: BATCH,
        in_flight: 1,
        round: () => fixtures.forEach(one),
    });
    return {
        sign: batch(({ payload, secret_key }) => signed(payload, secret_key)),
        verify: batch(({ token, public_key }) => {
            if (!opened(token, public_key)) throw new Error('A good token was refused.');
        }),
        key_pair: batch(() => newDid()),
        argon2id: { per_round: 1, in_flight: 1, round: () => hashRawSync('a pass phrase', ARGON2ID) },
    };
}

function fixture(index: number): Fixture {
    const { public_key, secret_key } = newKeyPair();
    const body = Buffer.from(newCredential(index).token.slice(HEADER.length), 'base64url');
    const payload = JSON.parse(body.subarray(0, -SIGNATURE_BYTES).toString()) as object; // the service's own payload
    return { payload, public_key, secret_key, token: signed(payload, secret_key) };
}

function newKeyPair(): { public_key: Buffer; secret_key: Buffer } {
    const public_key = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
    const secret_key = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
    sodium.crypto_sign_keypair(public_key, secret_key);
    return { public_key, secret_key };
}

function newDid(): string {
    return `did:key:z${bs58.encode(Buffer.concat([Buffer.from([0xed, 0x01]), newKeyPair().public_key]))}`;
}

function signed(payload: object, secret_key: Buffer): string {
    const message = Buffer.from(JSON.stringify(payload));
    const signature = Buffer.alloc(SIGNATURE_BYTES);
    sodium.crypto_sign_detached(signature, preAuthEncoded(message), secret_key);
    return HEADER + Buffer.concat([message, signature]).toString('base64url');
}

function opened(token: string, public_key: Buffer): unknown {
    const body = Buffer.from(token.slice(HEADER.length), 'base64url');
    const message = body.subarray(0, -SIGNATURE_BYTES);
    const signature = body.subarray(-SIGNATURE_BYTES);
    if (!sodium.crypto_sign_verify_detached(signature, preAuthEncoded(message), public_key)) return undefined;
    return JSON.parse(message.toString());
}

/** PAE of header, message and the two empty pieces. */
function preAuthEncoded(message: Buffer): Buffer {
    const out = Buffer.alloc(8 + 8 + HEADER.length + 8 + message.length + 8 + 8);
    out.writeUInt32LE(4, 0);
    out.writeUInt32LE(HEADER.length, 8);
    out.write(HEADER, 16);
    out.writeUInt32LE(message.length, 16 + HEADER.length);
    message.copy(out, 24 + HEADER.length);
    return out;
}
