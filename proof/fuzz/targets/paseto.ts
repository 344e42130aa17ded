import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { ClaimValidationError, PublicProtocol } from 'paseto';
import { ImportPublicKeyFactory, ImportSecretKeyFactory, SignFactory, VerifyFactory } from 'paseto/v4/public';
import { decodeBase64Url, encodeBase64Url } from '../../../platform/base64.ts';
import { isToken, MAX_TOKEN_LENGTH, preAuthEncode, splitToken } from '../../../tokens/v4-public.ts';
import { encodeDidKey } from '../../../workers/crypto/did-key.ts';
import { type KeyPair, keyPairFrom, sign as signBytes } from '../../../workers/crypto/ed25519.ts';
import { signToken } from '../../../workers/crypto/paseto.ts';
import { openToken } from '../../../workers/crypto/signature-jobs.ts';
import { target } from '../parsers/target.ts';
import { jsonFacts } from './json-reference.ts';

const other = new PublicProtocol(ImportPublicKeyFactory, ImportSecretKeyFactory, SignFactory, VerifyFactory);
/** The same key pair in every run, so that the signature of a kept input stays valid. */
const pair = keyPairFrom(Buffer.alloc(32, 7)) as KeyPair; // 32 bytes are a seed
const did = encodeDidKey(pair.public_key);
const otherKey = other.ImportPublicKey(`k4.public.${encodeBase64Url(pair.public_key)}`);
const WANTED = { members: ['iss', 'exp', 'list'], raw: ['claims'] };
const MAX_LISTED = 1_000;
const PAYLOAD = JSON.stringify({
    iss: did,
    sub: 'did:web:x',
    claims: { role: 'engineer', n: 1 },
    exp: '2030-01-01T00:00:00.000Z',
});

const sign = (payload: string): string => signToken(payload, pair.seed, pair.public_key);

/** A text opens only if another implementation verifies it, too. The service also refuses tokens with a footer. */
export const pasetoToken = target({
    name: 'paseto-token',
    seeds: [sign(PAYLOAD), sign('{}'), `${sign(PAYLOAD)}.Zm9v`, 'v4.public.AAAA', 'v4.local.AAAA'],
    dictionary: ['v4.public.', 'v4.local.', 'v3.public.', '.', '=', '_', '-', '+', '/', 'AAAA'],
    maxBytes: MAX_TOKEN_LENGTH + 1_024,
    parse: (input) => openToken({ token: input.toString(), did, ...WANTED }),
    async check(input, opened) {
        const token = input.toString();
        if (!isToken(token)) assert.equal(opened.ok, false);
        if (opened.ok) await other.Verify(await otherKey, token, { allowNonExpiring: true }).catch(onlyClaims);
        const parts = splitToken(token, { decodeBase64Url });
        if (parts)
            assert.equal(
                `v4.public.${encodeBase64Url(Buffer.concat([parts.message, parts.signature]))}`,
                token.split('.', 3).join('.'),
            );
    },
});

/** Ignores a refusal for the claims alone: the other implementation checks them after a good signature. */
function onlyClaims(error: Error): void {
    if (!(error instanceof ClaimValidationError)) throw error;
}

/** Bytes signed with the right key open exactly when they are a JSON object in UTF-8 that the service accepts. */
export const pasetoPayload = target({
    name: 'paseto-payload',
    seeds: [
        PAYLOAD,
        '{"iss":1}',
        '{"claims":{},"iss":"did:key:z6Mk"}',
        '[]',
        '{"claims":{"claims":{"a":"\\u0041"}},"list":["a","b"]}',
    ],
    dictionary: [
        '"iss":',
        '"claims":{',
        did,
        '\\u0000',
        '{',
        '}',
        '"',
        ':',
        '\\ud800',
        '1e999',
        '"exp":"',
        '"list":[',
        '"a",',
    ],
    maxBytes: 256 << 10,
    parse(input) {
        const message = Buffer.from(input);
        const token = tokenOf(message);
        return { by_did: openToken({ token, did, ...WANTED }), by_issuer: openToken({ token, ...WANTED }) };
    },
    check(input, { by_did, by_issuer }) {
        const expected = readPayload(input);
        assert.equal(by_did.ok, expected !== undefined, by_did.ok ? 'opened' : by_did.reason);
        if (expected === undefined) return assert.equal(by_issuer.ok, false);
        assert.equal(by_issuer.ok, expected['iss'] === did);
        assert.deepEqual(by_did.ok && definedMembers(by_did.payload), wantedOf(expected));
        const { claims } = expected;
        const text = by_did.ok ? by_did.raw['claims'] : undefined;
        assert.deepEqual(text && JSON.parse(text), isObject(claims) ? claims : undefined);
    },
});

function definedMembers(payload: Record<string, unknown>): object {
    return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
}

/** A signed token of any bytes, even of bytes that are no text. */
function tokenOf(message: Buffer): string {
    const nothing = new Uint8Array();
    const signed = preAuthEncode([Buffer.from('v4.public.'), message, nothing, nothing]);
    return `v4.public.${encodeBase64Url(Buffer.concat([message, signBytes(signed, pair.seed, pair.public_key)]))}`;
}

/** The wanted members that the payload has: texts and short lists of texts unchanged, anything else as null. */
function wantedOf(payload: Record<string, unknown>): Record<string, unknown> {
    const isText = (value: unknown): boolean => typeof value === 'string';
    const isList = (value: unknown): boolean =>
        Array.isArray(value) && value.length <= MAX_LISTED && value.every(isText);
    const present = WANTED.members.filter((name) => Object.hasOwn(payload, name));
    return Object.fromEntries(
        present.map((name) => [name, isText(payload[name]) || isList(payload[name]) ? payload[name] : null]),
    );
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readPayload(bytes: Buffer): Record<string, unknown> | undefined {
    // The service refuses a token with a payload of less than two bytes.
    if (!isUtf8(bytes) || bytes.length < 2) return undefined;
    const text = bytes.toString();
    try {
        const value = JSON.parse(text);
        const facts = jsonFacts(text);
        const { hasDuplicate, hasNul, hasLoneSurrogate, hasInfinity, depth, keys } = facts;
        const isFaulty = hasDuplicate || hasNul || hasLoneSurrogate || hasInfinity || depth > 32 || keys > 20_000;
        return !isFaulty && isObject(value) ? value : undefined;
    } catch {
        return undefined;
    }
}
