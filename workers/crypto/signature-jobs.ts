import { isUtf8 } from 'node:buffer';
import { AppError } from '../../platform/errors.ts';
import { JsonError, JsonText, parseJson, topLevelString } from '../../platform/json.ts';
import { decodeDidKey, encodeDidKey } from './did-key.ts';
import { generateKeyPair, type KeyPair, keyPairFrom, sameBytes } from './ed25519.ts';
import { signToken, splitToken, type TokenParts, verifyToken } from './paseto.ts';

export interface NewKey extends KeyPair {
    did: string;
}

export interface SignRequest {
    /** The did:key that signs the payload. */
    did: string;
    /** Its 32-byte seed, or 64 bytes: seed, then public key. */
    secretKey: Uint8Array;
    /** JSON text. */
    payload: string;
}

export interface OpenRequest {
    token: string;
    /** The did:key that must have signed the token; if absent, the one that the payload names in `iss`. */
    did?: string | undefined;
    /** Members of the payload to return as values: strings, or lists of at most MAX_LISTED strings. */
    members: readonly string[];
    /** Members of the payload to return as the text of a JSON object. */
    raw: readonly string[];
}

/**
 * `payload` contains the requested `members` that exist; a member of another type is null. `raw` contains the texts of
 * the JSON objects, which may be undefined in `payload`. Nothing else leaves the thread, because copying the payload of
 * an unknown sender could block the event loop. `reason` may be shown to callers.
 */
export type Opened =
    | { ok: true; payload: Record<string, unknown>; raw: Record<string, string> }
    | { ok: false; reason: string };

/** Maximum number of strings in one list of a payload. A presentation contains at most 100 credentials. */
const MAX_LISTED = 1_000;

export function generateKey(): NewKey {
    const pair = generateKeyPair();
    return { did: encodeDidKey(pair.public_key), ...pair };
}

/** Returns the key pair. Throws AppError `invalid` if the key is malformed or does not belong to the DID. */
export function signerOf({ did, secretKey }: Pick<SignRequest, 'did' | 'secretKey'>): KeyPair {
    const pair = keyPairFrom(secretKey);
    if (pair === undefined) throw new AppError('invalid', 'The private key is not an Ed25519 private key.');
    const expected = decodeDidKey(did);
    if (expected === undefined || !sameBytes(expected, pair.public_key)) {
        throw new AppError('invalid', 'The private key does not belong to the DID.');
    }
    return pair;
}

/** Returns a v4.public token. Throws as signerOf() does. */
export function signPayload(request: SignRequest): string {
    const { seed, public_key } = signerOf(request);
    return signToken(request.payload, seed, public_key);
}

/**
 * Checks the form, the signature and the payload of a v4.public token. The payload must be strict UTF-8 and a JSON
 * object that platform/json accepts. If the payload itself names the key, only that name is read before the signature
 * is verified.
 */
export function openToken({ token, did, members, raw }: OpenRequest): Opened {
    const parts = splitToken(token);
    if (parts === undefined) return refused('The token is not a well-formed v4.public token.');
    const fault = signatureFault(did ?? namedIssuer(parts.message), parts);
    return fault ?? readPayload(parts.message, { members, raw });
}

/** Returns the signer that an unverified payload names, if it names one. */
function namedIssuer(message: Buffer): string | undefined {
    try {
        return isUtf8(message) ? topLevelString(message.toString(), 'iss') : undefined;
    } catch (error) {
        if (error instanceof JsonError) return undefined;
        throw error;
    }
}

function signatureFault(did: string | undefined, parts: TokenParts): Opened | undefined {
    const publicKey = did === undefined ? undefined : decodeDidKey(did);
    if (publicKey === undefined) return refused('The issuer is not an Ed25519 did:key.');
    return verifyToken(parts, publicKey) ? undefined : refused('The signature is not valid.');
}

function readPayload(message: Buffer, wanted: Pick<OpenRequest, 'members' | 'raw'>): Opened {
    if (!isUtf8(message)) return refused('The payload is not UTF-8.');
    try {
        const value = parseJson(message.toString(), { raw: new Set(wanted.raw) });
        if (typeof value !== 'object' || value === null || Array.isArray(value)) {
            return refused('The payload is not a JSON object.');
        }
        return pick(value as Record<string, unknown>, wanted); // a parsed object literal
    } catch (error) {
        if (error instanceof JsonError) return refused(`The payload is not acceptable JSON: ${error.message}.`);
        throw error;
    }
}

function pick(content: Record<string, unknown>, { members, raw }: Pick<OpenRequest, 'members' | 'raw'>): Opened {
    const texts: Record<string, string> = {};
    for (const name of raw) {
        const member = content[name];
        if (member instanceof JsonText) texts[name] = member.text;
        if (member !== undefined) content[name] = undefined; // `delete` would make the object slow
    }
    const names = Object.keys(content);
    // Most payloads have no other members and need no copy.
    const payload = names.every((name) => members.includes(name) || raw.includes(name))
        ? content
        : Object.fromEntries(
              members.filter((name) => Object.hasOwn(content, name)).map((name) => [name, content[name]]),
          );
    for (const name of members) {
        if (Object.hasOwn(payload, name) && !isSimple(payload[name])) payload[name] = null;
    }
    return { ok: true, payload, raw: texts };
}

function isSimple(value: unknown): boolean {
    if (typeof value === 'string') return true;
    return Array.isArray(value) && value.length <= MAX_LISTED && value.every((item) => typeof item === 'string');
}

function refused(reason: string): Opened {
    return { ok: false, reason };
}
