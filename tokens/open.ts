import { JsonError, JsonText, parseJson, topLevelString } from '../platform/json.ts';
import { DID_KEY_SCHEME, decodeDidKey } from './did-key.ts';
import { splitToken, type TokenPrimitives, verifyToken } from './v4-public.ts';
import { isIssuerWebDid } from './web-did.ts';

export interface OpenRequest {
    token: string;
    /** The did:key that must have signed the token; if absent, the one that the payload names in `iss`. */
    did?: string | undefined;
    /**
     * True to accept did:web issuers. Their signature is then verified with the key that the payload names in `kid`, and
     * the caller must check that this is a key of the issuer (kidFault).
     */
    byKid?: boolean;
    /** Members of the payload to return as values: strings, or lists of at most MAX_LISTED strings. */
    members: readonly string[];
    /** Members of the payload to return as the text of a JSON object. */
    raw: readonly string[];
}

/**
 * `payload` contains the requested `members` that exist; a member of another type is null. `raw` contains the texts of
 * the JSON objects, which may be undefined in `payload`. Nothing else is returned, because in the service the result
 * leaves a thread, and copying the payload of an unknown sender could block the event loop. `reason` may be shown to
 * callers.
 */
export type Opened =
    | { ok: true; payload: Record<string, unknown>; raw: Record<string, string> }
    | { ok: false; reason: string };

/**
 * Maximum number of strings in one list of a payload. A presentation contains at most 100 credentials. Beyond it: the
 * token does not verify.
 */
const MAX_LISTED = 1_000;

/**
 * Checks the form, the signature and the payload of a v4.public token. The payload must be strict UTF-8 and a JSON
 * object that platform/json accepts. If the payload itself names the key, only that name is read before the signature
 * is verified.
 */
export function openToken({ token, did, byKid, members, raw }: OpenRequest, primitives: TokenPrimitives): Opened {
    const parts = splitToken(token, primitives);
    if (parts === undefined) return refused('The token is not a well-formed v4.public token.');
    const issuer = did ?? namedIn('iss', parts.message, primitives);
    const isWeb = byKid && issuer !== undefined && isIssuerWebDid(issuer);
    const key = decodeDidKey((isWeb ? keyNamedIn(parts.message, primitives) : issuer) ?? '');
    if (key === undefined) return refused(isWeb ? NO_KEY : 'The issuer is not an Ed25519 did:key.');
    if (!verifyToken(parts, key, primitives)) return refused('The signature is not valid.');
    return readPayload(primitives.decodeUtf8(parts.message), { members, raw });
}

const NO_KEY = 'The token does not name the key of its issuer.';

/** Returns the key of a did:web issuer that an unverified payload names, as a did:key. */
function keyNamedIn(message: Uint8Array, primitives: TokenPrimitives): string | undefined {
    const kid = namedIn('kid', message, primitives);
    return kid === undefined ? undefined : DID_KEY_SCHEME + kid;
}

/** Returns a member of an unverified payload, if it has it and it is a string. */
export function namedIn(
    member: string,
    message: Uint8Array,
    { decodeUtf8 }: Pick<TokenPrimitives, 'decodeUtf8'>,
): string | undefined {
    const text = decodeUtf8(message);
    try {
        return text === undefined ? undefined : topLevelString(text, member);
    } catch (error) {
        if (error instanceof JsonError) return undefined;
        throw error;
    }
}

function readPayload(text: string | undefined, wanted: Pick<OpenRequest, 'members' | 'raw'>): Opened {
    if (text === undefined) return refused('The payload is not UTF-8.');
    try {
        const value = parseJson(text, { raw: new Set(wanted.raw) });
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
