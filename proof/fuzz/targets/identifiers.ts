import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import bs58 from 'bs58';
import { parseApiKey } from '../../../platform/access/api-key.ts';
import { decodeBase64 } from '../../../platform/base64.ts';
import { requireCredentialId } from '../../../services/credential-id.ts';
import { cursors, type ListScope } from '../../../services/cursors.ts';
import { decodeDidKey, isDid } from '../../../tokens/did-key.ts';
import { decodeP256DidKey } from '../../../tokens/p256-did-key.ts';
import { encodeDidKey, encodeP256DidKey } from '../../../workers/crypto/did-key.ts';
import type { PublicKey } from '../../../workers/crypto/ed25519.ts';
import { attempt, target } from '../parsers/target.ts';

const SOME_DID = encodeDidKey(new Uint8Array(32).fill(5) as PublicKey); // 32 bytes
const SOME_ID = '01a1faed-b50a-7000-8f70-7b9d71ab9b89';

/** A did:key must decode as bs58 decodes it: two bytes of multicodec, then the 32 bytes of the key. */
export const didKey = target({
    name: 'did-key',
    seeds: [
        SOME_DID,
        `${SOME_DID}#z6Mk`,
        'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
        `did:key:z6Mk${'z'.repeat(44)}`,
        `did:key:z6Mk${'1'.repeat(44)}`,
    ],
    dictionary: ['did:key:', 'z6Mk', '1', 'z', '0', 'O', 'I', 'l', '#', '?', 'é'],
    maxBytes: 4 << 10,
    parse: (input) => decodeDidKey(input.toString()),
    check(input, key) {
        const text = input.toString();
        const bytes = text.startsWith('did:key:z') && text.length === 56 ? bs58.decodeUnsafe(text.slice(9)) : undefined;
        const good = bytes?.length === 34 && bytes[0] === 0xed && bytes[1] === 0x01 && text.startsWith('did:key:z6Mk');
        assert.deepEqual(key && Buffer.from(key), good ? Buffer.from(bytes.subarray(2)) : undefined);
        if (key) assert.equal(encodeDidKey(key), text);
    },
});

const P256_DID = 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv';

/** The same for P-256: two bytes of multicodec, then 0x02 or 0x03 and the 32 bytes of x. */
export const p256DidKey = target({
    name: 'p256-did-key',
    seeds: [P256_DID, `${P256_DID}#zDn`, SOME_DID, `did:key:zDnae${'z'.repeat(44)}`, `did:key:zDnae${'1'.repeat(44)}`],
    dictionary: ['did:key:', 'zDnae', 'zDnb', '1', 'z', '0', 'O', 'I', 'l', '#', '?', 'é'],
    maxBytes: 4 << 10,
    parse: (input) => decodeP256DidKey(input.toString()),
    check(input, key) {
        const text = input.toString();
        const bytes = text.startsWith('did:key:zDnae') ? bs58.decodeUnsafe(text.slice(9)) : undefined;
        const good = bytes?.length === 35 && bytes[0] === 0x80 && bytes[1] === 0x24 && (bytes[2] ?? 0) >> 1 === 1;
        assert.deepEqual(key && Buffer.from(key), good ? Buffer.from(bytes.subarray(2)) : undefined);
        if (key) assert.equal(encodeP256DidKey(key), text);
    },
});

/** A DID must follow the grammar of DID Core, which the check applies from left to right. */
export const did = target({
    name: 'did',
    seeds: [
        'did:web:a.example',
        'did:x:a:b::c',
        'did:web:host%3A8080:u',
        'did:key:z6Mk',
        'did:x:',
        'did:X:y',
        SOME_DID,
    ],
    dictionary: ['did:', ':', '::', '%', '%3A', '%zz', '.', '-', '_', '/', '#'],
    maxBytes: 64 << 10,
    parse: (input) => isDid(input.toString()),
    check(input, result) {
        const text = input.toString();
        const [scheme, method = '', ...parts] = text.split(':');
        const id = parts.join(':').replace(/%[0-9a-f]{2}/gi, 'e');
        const well = scheme === 'did' && method !== '' && !/[^a-z0-9]/.test(method) && !/[^\w.:-]/.test(id);
        assert.equal(result, well && id !== '' && !id.endsWith(':') && text.length <= 2_048);
    },
});

/** Base64 is accepted in the standard or the URL alphabet, with or without padding, and in no other spelling. */
export const base64 = target({
    name: 'base64',
    seeds: [
        'AAAA',
        'AA==',
        '5/Spw4KFjokeEbmmWIOT9f2dMYFivqudxTLmXiC2B84=',
        '5_Spw4KFjokeEbmmWIOT9f2dMYFivqudxTLmXiC2B84',
        'A',
        'AB==',
        '',
    ],
    dictionary: ['=', '==', '+', '/', '-', '_', ' ', '\n', 'A', 'B'],
    maxBytes: 1 << 20,
    parse: (input) => decodeBase64(input.toString()),
    check(input, bytes) {
        const text = input.toString();
        const body = text.replace(/={1,2}$/, '');
        const padding = text.length - body.length;
        const mixed = /[+/]/.test(body) && /[-_]/.test(body);
        const canonical = body.replaceAll('-', '+').replaceAll('_', '/');
        const rest = body.length % 4;
        const isForm =
            !/[^A-Za-z0-9+/]/.test(canonical) && !mixed && rest !== 1 && (padding === 0 || padding === (4 - rest) % 4);
        const good = isForm && btoa(atob(canonical)).replace(/=+$/, '') === canonical;
        assert.deepEqual(bytes && Buffer.from(bytes), good ? Buffer.from(atob(canonical), 'latin1') : undefined);
    },
});

const LISTS = cursors(['the service token of the fuzzer']);
const SCOPE: ListScope = { list: 'keys', account: SOME_ID };
const CURSOR = LISTS.seal(SOME_ID, SCOPE);

/** Only the exact text of a cursor that was sealed here opens. Any other text is refused as `invalid`. */
export const cursor = target({
    name: 'cursor',
    seeds: [CURSOR, LISTS.seal(SOME_ID, { ...SCOPE, list: 'wallet_credentials', of: SOME_ID }), 'AAAA', ''],
    dictionary: ['A', '_', '-', '=', '.'],
    maxBytes: 256,
    parse: (input) => attempt(() => LISTS.open(input.toString(), SCOPE)),
    check(input, { value }) {
        if (value === undefined) return;
        assert.deepEqual([value, input.toString()], [SOME_ID, CURSOR]);
    },
});

const FORMAT = { brand: 'cred', environment: 'test' } as const;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function checksum(text: string): string {
    let left = crc32(text);
    return Array.from({ length: 6 }, () => {
        const digit = DIGITS.charAt(left % 62);
        left = Math.floor(left / 62);
        return digit;
    })
        .reverse()
        .join('');
}

const KEY_START = `cred_test_${'a'.repeat(26)}`;

export const apiKey = target({
    name: 'api-key',
    seeds: [KEY_START + checksum(KEY_START), `${KEY_START}000000`, 'cred_live_', ''],
    dictionary: ['cred_', 'test_', 'live_', '_', '0', 'é'],
    maxBytes: 4 << 10,
    parse: (input) => parseApiKey(input.toString('latin1'), FORMAT),
    check(input, found) {
        const text = input.toString('latin1');
        const good = text.length === 42 && text.startsWith('cred_test_') && text.endsWith(checksum(text.slice(0, -6)));
        assert.deepEqual(found?.hash, good ? hash('sha256', text, 'buffer') : undefined);
    },
});

export const credentialId = target({
    name: 'credential-id',
    seeds: [`urn:uuid:${SOME_ID}`, SOME_ID, 'urn:uuid:', `URN:UUID:${SOME_ID}`],
    dictionary: ['urn:uuid:', '-', 'A', '0'],
    maxBytes: 4 << 10,
    parse: (input) => attempt(() => requireCredentialId(input.toString())),
    check(input, { value }) {
        const groups = input
            .toString()
            .split(/^urn:uuid:|-/)
            .slice(1);
        const sizes = [8, 4, 4, 4, 12];
        const good =
            input.toString().startsWith('urn:uuid:') &&
            groups.length === 5 &&
            groups.every((group, at) => group.length === sizes[at] && !/[^0-9a-f]/.test(group));
        assert.equal(value, good ? groups.join('-') : undefined);
    },
});
