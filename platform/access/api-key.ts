import { hash as digest, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The environment of a key: it reads `<brand>_<environment>_` and 32 characters, and is valid in that environment only.
 */
export interface ApiKeyFormat {
    brand: string;
    environment: 'live' | 'test';
}

export interface NewApiKey {
    /** The secret. Only its hash and its mask are kept. */
    api_key: string;
    /** SHA-256 of the whole text. */
    hash: Buffer;
    mask: string;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 154 bits. */
const RANDOM_LENGTH = 26;
/** 62^6 is more than 2^32: room for a CRC-32. */
const CHECKSUM_LENGTH = 6;
const BODY_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH;
const MASK_EDGE = 4;

/** A new key from the system's random source: 26 random characters, then the CRC-32 of all before it, in base 62. */
export function makeApiKey(format: ApiKeyFormat): NewApiKey {
    let text = prefixOf(format);
    for (let index = 0; index < RANDOM_LENGTH; index++) text += ALPHABET.charAt(randomInt(ALPHABET.length));
    const api_key = text + checksumOf(text);
    return { api_key, hash: hashOf(api_key), mask: maskApiKey(api_key) };
}

/**
 * The hash to look a key up by; undefined for a text that cannot be a key of this environment, such as a mistyped one.
 */
export function parseApiKey(text: string, format: ApiKeyFormat): { hash: Buffer } | undefined {
    const prefix = prefixOf(format);
    if (text.length !== prefix.length + BODY_LENGTH || !text.startsWith(prefix)) return undefined;
    return text.slice(-CHECKSUM_LENGTH) === checksumOf(text.slice(0, -CHECKSUM_LENGTH))
        ? { hash: hashOf(text) }
        : undefined;
}

/** The prefix, the first four characters of the body, `...`, and the last four. */
export function maskApiKey(api_key: string): string {
    return `${api_key.slice(0, MASK_EDGE - BODY_LENGTH)}...${api_key.slice(-MASK_EDGE)}`;
}

function prefixOf({ brand, environment }: ApiKeyFormat): string {
    return `${brand}_${environment}_`;
}

function checksumOf(text: string): string {
    let left = crc32(text);
    let digits = '';
    while (digits.length < CHECKSUM_LENGTH) {
        digits = ALPHABET.charAt(left % ALPHABET.length) + digits;
        left = Math.floor(left / ALPHABET.length);
    }
    return digits;
}

function hashOf(text: string): Buffer {
    return digest('sha256', text, 'buffer');
}
