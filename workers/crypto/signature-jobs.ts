import { isUtf8 } from 'node:buffer';
import { AppError } from '../../platform/errors.ts';
import { JsonError, JsonText, parseJson } from '../../platform/json.ts';
import { decodeDidKey, encodeDidKey } from './did-key.ts';
import { generateKeyPair, type KeyPair, keyPairFrom, sameBytes } from './ed25519.ts';
import { signToken, splitToken, type TokenParts, verifyToken } from './paseto.ts';

export interface NewKey extends KeyPair {
    did: string;
}

export interface SignRequest {
    /** The did:key that signs. */
    did: string;
    /** Its 32-byte seed, or 64 bytes: seed, then public key. */
    secret_key: Uint8Array;
    /** JSON text. */
    payload: string;
}

export interface OpenRequest {
    token: string;
    /** Whose key must have signed; without it, the key that the payload's own `iss` names. */
    did?: string | undefined;
    /** Members of the payload that are wanted as text. */
    raw: readonly string[];
}

/** `raw` holds those of the wanted members that are objects; in `payload` they are undefined. `reason` is fit for a caller. */
export type Opened =
    | { ok: true; payload: Record<string, unknown>; raw: Record<string, string> }
    | { ok: false; reason: string };

export function generateKey(): NewKey {
    const pair = generateKeyPair();
    return { did: encodeDidKey(pair.public_key), ...pair };
}

/** A v4.public token. AppError `invalid` when the key is malformed or not the DID's. */
export function signPayload({ did, secret_key, payload }: SignRequest): string {
    const pair = keyPairFrom(secret_key);
    if (pair === undefined) throw new AppError('invalid', 'The private key is not an Ed25519 private key.');
    const expected = decodeDidKey(did);
    if (expected === undefined || !sameBytes(expected, pair.public_key)) {
        throw new AppError('invalid', 'The private key does not belong to the DID.');
    }
    return signToken(payload, pair.seed, pair.public_key);
}

/**
 * Checks form, signature and payload (strict UTF-8, a JSON object as platform/json reads it) of a v4.public token. Where the
 * payload itself names the key it is read first; nothing of it is given away unless the signature holds.
 */
export function openToken({ token, did, raw }: OpenRequest): Opened {
    const parts = splitToken(token);
    if (parts === undefined) return refused('The token is not a well-formed v4.public token.');
    if (did !== undefined) return signatureFault(did, parts) ?? readPayload(parts.message, raw);
    const opened = readPayload(parts.message, raw);
    return opened.ok ? (signatureFault(String(opened.payload['iss']), parts) ?? opened) : opened;
}

function signatureFault(did: string, parts: TokenParts): Opened | undefined {
    const public_key = decodeDidKey(did);
    if (public_key === undefined) return refused('The issuer is not an Ed25519 did:key.');
    return verifyToken(parts, public_key) ? undefined : refused('The signature is not valid.');
}

function readPayload(message: Buffer, wanted: readonly string[]): Opened {
    if (!isUtf8(message)) return refused('The payload is not UTF-8.');
    try {
        const value = parseJson(message.toString(), new Set(wanted));
        if (typeof value !== 'object' || value === null || Array.isArray(value)) {
            return refused('The payload is not a JSON object.');
        }
        return takeRaw(value as Record<string, unknown>, wanted); // a parsed object literal
    } catch (error) {
        if (error instanceof JsonError) return refused(`The payload is not acceptable JSON: ${error.message}.`);
        throw error;
    }
}

function takeRaw(payload: Record<string, unknown>, wanted: readonly string[]): Opened {
    const raw: Record<string, string> = {};
    for (const name of wanted) {
        const member = payload[name];
        if (!(member instanceof JsonText)) continue;
        raw[name] = member.text;
        payload[name] = undefined; // deleted, it would make the object a slow one
    }
    return { ok: true, payload, raw };
}

function refused(reason: string): Opened {
    return { ok: false, reason };
}
