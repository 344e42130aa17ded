import { hash as digest, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The form of an API key: `<brand>_<environment>_`, then 32 characters. A key is valid only in its environment. */
export interface ApiKeyFormat {
    brand: string;
    environment: 'live' | 'test';
}

interface NewApiKey {
    /** The secret. The service keeps only its hash and its mask. */
    api_key: string;
    /** SHA-256 of the whole text. */
    hash: Buffer;
    mask: string;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Random characters of a key: 154 bits. */
const RANDOM_LENGTH = 26;
/** Characters of the checksum: 62^6 is more than 2^32, so a CRC-32 fits. */
const CHECKSUM_LENGTH = 6;
const BODY_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH;
/** Characters of the body that the mask shows at each end. */
const MASK_EDGE = 4;

/**
 * Creates a key: the prefix, 26 characters from the system's random source, then the CRC-32 of all of that in base 62.
 */
export function makeApiKey(format: ApiKeyFormat): NewApiKey {
    let text = prefixOf(format);
    for (let index = 0; index < RANDOM_LENGTH; index++) text += ALPHABET.charAt(randomInt(ALPHABET.length));
    const apiKey = text + checksumOf(text);
    return { api_key: apiKey, hash: hashOf(apiKey), mask: maskApiKey(apiKey) };
}

/**
 * Returns the hash by which a key is looked up, or undefined if the text cannot be a key of this environment, for
 * example because it was mistyped.
 */
export function parseApiKey(text: string, format: ApiKeyFormat): { hash: Buffer } | undefined {
    const prefix = prefixOf(format);
    if (text.length !== prefix.length + BODY_LENGTH || !text.startsWith(prefix)) return undefined;
    return text.slice(-CHECKSUM_LENGTH) === checksumOf(text.slice(0, -CHECKSUM_LENGTH))
        ? { hash: hashOf(text) }
        : undefined;
}

/** Returns the prefix, the first four characters of the body, `...`, and the last four. */
export function maskApiKey(apiKey: string): string {
    return `${apiKey.slice(0, MASK_EDGE - BODY_LENGTH)}...${apiKey.slice(-MASK_EDGE)}`;
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
