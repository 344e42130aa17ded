import { hashRawSync } from '@node-rs/argon2';
import bs58 from 'bs58';
import sodium from 'sodium-native';
import { newCredential } from '../tokens.ts';
import type { Rounds } from './part.ts';

/** v4.public tokens made directly with sodium: only the work that every implementation has to do. */

const HEADER = 'v4.public.';
const SIGNATURE_BYTES = 64;
const BATCH = 32;
const ARGON2ID = { memoryCost: 19_456, timeCost: 2 };

interface Fixture {
    payload: object;
    token: string;
    public_key: Buffer;
    secretKey: Buffer;
}

export function cryptographyParts(): Record<'sign' | 'verify' | 'key_pair' | 'argon2id', Rounds> {
    const fixtures = Array.from({ length: BATCH }, (_, index) => fixture(index));
    const batch = (one: (fixture: Fixture) => void): Rounds => ({
        perRound: BATCH,
        inFlight: 1,
        round: () => fixtures.forEach(one),
    });
    return {
        sign: batch(({ payload, secretKey }) => signed(payload, secretKey)),
        verify: batch(({ token, public_key }) => {
            if (!opened(token, public_key)) throw new Error('A valid token was refused.');
        }),
        key_pair: batch(() => newDid()),
        argon2id: { perRound: 1, inFlight: 1, round: () => hashRawSync('a pass phrase', ARGON2ID) },
    };
}

function fixture(index: number): Fixture {
    const { public_key, secretKey } = newKeyPair();
    const body = Buffer.from(newCredential(index).token.slice(HEADER.length), 'base64url');
    const payload = JSON.parse(body.subarray(0, -SIGNATURE_BYTES).toString()) as object; // as the service writes it
    return { payload, public_key, secretKey, token: signed(payload, secretKey) };
}

function newKeyPair(): { public_key: Buffer; secretKey: Buffer } {
    const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
    const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
    sodium.crypto_sign_keypair(publicKey, secretKey);
    return { public_key: publicKey, secretKey };
}

function newDid(): string {
    return `did:key:z${bs58.encode(Buffer.concat([Buffer.from([0xed, 0x01]), newKeyPair().public_key]))}`;
}

function signed(payload: object, secretKey: Buffer): string {
    const message = Buffer.from(JSON.stringify(payload));
    const signature = Buffer.alloc(SIGNATURE_BYTES);
    sodium.crypto_sign_detached(signature, preAuthEncoded(message), secretKey);
    return HEADER + Buffer.concat([message, signature]).toString('base64url');
}

function opened(token: string, publicKey: Buffer): unknown {
    const body = Buffer.from(token.slice(HEADER.length), 'base64url');
    const message = body.subarray(0, -SIGNATURE_BYTES);
    const signature = body.subarray(-SIGNATURE_BYTES);
    if (!sodium.crypto_sign_verify_detached(signature, preAuthEncoded(message), publicKey)) return undefined;
    return JSON.parse(message.toString());
}

/** PAE (PASETO's pre-authentication encoding) of the header, the message and two empty pieces. */
function preAuthEncoded(message: Buffer): Buffer {
    const out = Buffer.alloc(8 + 8 + HEADER.length + 8 + message.length + 8 + 8);
    out.writeUInt32LE(4, 0);
    out.writeUInt32LE(HEADER.length, 8);
    out.write(HEADER, 16);
    out.writeUInt32LE(message.length, 16 + HEADER.length);
    message.copy(out, 24 + HEADER.length);
    return out;
}
