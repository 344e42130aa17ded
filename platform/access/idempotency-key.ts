import { invalid } from '../errors.ts';

/** Maximum length of an Idempotency-Key, in characters. Beyond it: `invalid`. */
const MAX_LENGTH = 255;

/** Minimum length of the key of a call whose answer contains a secret, in characters. */
export const MIN_SEALING_LENGTH = 16;

/** A key without quotes: visible ASCII characters. */
const BARE = /^[\x21-\x7e]+$/;
/** A String of RFC 8941, section 3.3.3, without spaces. In it, a backslash precedes each quote and each backslash. */
const QUOTED = /^"(?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"$/;

/**
 * Reads the value of an `Idempotency-Key` field: `"abc"`, as the draft of the IETF defines it, or `abc`. Both are the
 * same key. Throws AppError `invalid` unless the key has 1 to 255 visible ASCII characters. If the field was sent twice,
 * its value is joined by a comma and a space, and is therefore refused.
 */
export function readIdempotencyKey(value: string): string {
    const key = value.startsWith('"') ? unquoted(value) : value;
    if (key !== undefined && key.length <= MAX_LENGTH && BARE.test(key)) return key;
    throw invalid(
        `Idempotency-Key must be sent once and have 1 to ${MAX_LENGTH} visible ASCII characters, with or without quotes around them.`,
    );
}

function unquoted(value: string): string | undefined {
    return QUOTED.test(value) ? value.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : undefined;
}

/** The pattern of what the field of a call may contain: a key of at least `min` characters, with or without quotes. */
export function fieldPattern(min: number): string {
    const some = `{${min},${MAX_LENGTH}}`;
    return `^(?:[\\x21\\x23-\\x7e][\\x21-\\x7e]{${min - 1},${MAX_LENGTH - 1}}|"(?:[\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\])${some}")$`;
}
