/**
 * base58btc (draft-msporny-base58) for the only length that a did:key has: 34 bytes, the first of which is at least 45,
 * as 47 digits. With two digits and two bytes at a time everything fits into 32-bit integers, which takes a fifth of
 * the time of digit-by-digit arithmetic.
 */

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
export const BYTES = 34;
export const DIGITS = 47;

const LIMBS = BYTES / 2;
const BASE = 58 * 58;

/** The value of a character, by its code; -1 if it is not a digit. */
const VALUES = Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));
/** The two digits of each number below BASE. */
const PAIRS = Array.from({ length: BASE }, (_, value) => digit(Math.floor(value / 58)) + digit(value % 58));

/** The number that is being read or written, in limbs of 16 bits. It is used within one synchronous call. */
const limbs = new Int32Array(LIMBS);

export function encodeBase58(bytes: Uint8Array): string {
    // The highest first.
    for (let i = 0; i < LIMBS; i++) limbs[i] = ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0);
    let text = '';
    for (let pair = 0; pair < DIGITS >> 1; pair++) {
        let remainder = 0;
        for (let i = 0; i < LIMBS; i++) {
            const dividend = (remainder << 16) | (limbs[i] ?? 0);
            const quotient = (dividend / BASE) | 0;
            limbs[i] = quotient;
            remainder = dividend - quotient * BASE;
        }
        text = (PAIRS[remainder] ?? '') + text;
    }
    return digit(limbs[LIMBS - 1] ?? 0) + text;
}

/**
 * The bytes of the DIGITS characters from `start`; undefined if they are not digits or stand for another number of
 * bytes.
 */
export function decodeBase58(text: string, start: number): Uint8Array | undefined {
    let invalid = valueAt(text, start);
    if (invalid === 0) return undefined; // it would stand for a zero byte
    limbs[0] = invalid; // the lowest first
    let used = 1;
    for (let i = start + 1; i < start + DIGITS; i += 2) {
        const high = valueAt(text, i);
        const low = valueAt(text, i + 1);
        invalid |= high | low; // negative as soon as one of them is
        let carry = high * 58 + low;
        for (let limb = 0; limb < used; limb++) {
            carry += (limbs[limb] ?? 0) * BASE;
            limbs[limb] = carry & 0xffff;
            carry >>>= 16;
        }
        if (carry === 0) continue;
        if (used === LIMBS) return undefined;
        limbs[used++] = carry;
    }
    return invalid < 0 ? undefined : bytesOfLimbs();
}

function bytesOfLimbs(): Uint8Array {
    const bytes = new Uint8Array(BYTES);
    for (let i = 0; i < LIMBS; i++) {
        const limb = limbs[LIMBS - 1 - i] ?? 0;
        bytes[2 * i] = limb >> 8;
        bytes[2 * i + 1] = limb;
    }
    return bytes;
}

function valueAt(text: string, index: number): number {
    return VALUES[text.charCodeAt(index)] ?? -1;
}

function digit(value: number): string {
    return ALPHABET.charAt(value);
}
