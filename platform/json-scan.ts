import { type MemberText, MemberTexts, type WantedMembers } from './json-members.ts';

/**
 * Maximum nesting of objects and arrays: a value inside 32 of them is read, a 33rd bracket is refused. In the wanted
 * list, the levels count from each item, so that an item may hold what a text of its own may hold. Beyond it:
 * `invalid`.
 */
export const MAX_JSON_DEPTH = 32;

/**
 * Maximum number of keys in a text, over all objects. 1 MiB could hold 150,000 keys, and comparing them would block the
 * event loop. Beyond it: `invalid`.
 */
export const MAX_JSON_KEYS = 20_000;

/** Why a text was refused. The message may be shown to callers: it can name a key, never a value. */
export class JsonError extends Error {
    override readonly name = 'JsonError';
}

interface JsonScan {
    keyCount: number;
    /** Commas outside of strings. Together with the keys they bound the number of values. */
    commaCount: number;
    /** The texts of the wanted members. */
    members: MemberText[];
}

/**
 * The scan skips characters up to this code: blanks and control characters. JSON.parse refuses the control characters.
 */
const BLANK = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Scans each character of `text` once. It does not check the syntax: use the result only if JSON.parse accepts the
 * text.
 * @throws JsonError for more than MAX_JSON_DEPTH levels, more than MAX_JSON_KEYS keys, an escaped NUL or lone
 * surrogate, and a colon that follows no string
 */
export function scanJson(text: string, wanted: WantedMembers): JsonScan {
    const members = new MemberTexts(text, wanted);
    const nextBackslash = forwardFinder(text, '\\');
    let depth = 0;
    /** Start and end of the last string. The start is -1 once a colon has made that string a key. */
    let stringStart = -1;
    let stringEnd = -1;
    let keyCount = 0;
    let commaCount = 0;
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code <= BLANK) continue;
        switch (code) {
            case QUOTE:
                stringStart = i + 1;
                i = stringEnd = closingQuote(text, stringStart, nextBackslash);
                members.end(depth, i);
                break;
            case COLON:
                if (stringStart === -1) throw new JsonError('not valid JSON');
                if (++keyCount > MAX_JSON_KEYS) throw new JsonError(`more than ${MAX_JSON_KEYS} keys`);
                if (members.mayWant(depth)) {
                    i = skipBlanks(text, i + 1) - 1;
                    members.begin(decodeKey(text.slice(stringStart, stringEnd)), depth, i + 1);
                }
                stringStart = -1; // a further colon must not decode the key again
                break;
            case COMMA:
                commaCount++;
                members.comma(depth);
                break;
            case OPEN_OBJECT:
            case OPEN_ARRAY:
                if (++depth > MAX_JSON_DEPTH + members.levelsAbove)
                    throw new JsonError(`nested deeper than ${MAX_JSON_DEPTH} levels`);
                break;
            case CLOSE_OBJECT:
            case CLOSE_ARRAY:
                members.end(--depth, i);
                break;
        }
    }
    return { keyCount, commaCount, members: members.found };
}

/** Returns a key with its escapes decoded, from the text between its quotes. */
function decodeKey(written: string): string {
    return written.includes('\\') ? String(parseSyntax(`"${written}"`)) : written;
}

export function parseSyntax(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        throw new JsonError('not valid JSON'); // JSON.parse's own message quotes the text
    }
}

/**
 * Returns a function that finds the next `part` at or after a position. Positions must ascend, so that the text is
 * searched once.
 */
function forwardFinder(text: string, part: string): (start: number) => number {
    let next = -1;
    return (start) => {
        if (next < start) {
            next = text.indexOf(part, start);
            if (next === -1) next = text.length;
        }
        return next;
    };
}

/**
 * Returns the index of the quote that closes the string at `start`, or the text's length. It scans a string with
 * escapes once, so the work is proportional to the string's length.
 */
function closingQuote(text: string, start: number, nextBackslash: (start: number) => number): number {
    const quote = text.indexOf('"', start);
    const backslash = nextBackslash(start);
    if (quote !== -1 && quote < backslash) return quote;
    let i = backslash;
    while (i < text.length) {
        const code = text.charCodeAt(i);
        if (code === QUOTE) return i;
        i = code === BACKSLASH ? afterEscape(text, i) : i + 1;
    }
    return text.length;
}

function afterEscape(text: string, start: number): number {
    if (text.charCodeAt(start + 1) !== LETTER_U) return start + 2;
    const unit = escapedUnit(text, start);
    if (unit === 0) throw new JsonError('NUL character in a string');
    if (!(unit >= 0xd800 && unit <= 0xdfff)) return start + 6;
    const next = text.startsWith('\\u', start + 6) ? escapedUnit(text, start + 6) : 0;
    if (unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) return start + 12;
    throw new JsonError('lone surrogate in a string');
}

/** Returns the UTF-16 unit of the `\uXXXX` escape at `start`; negative if it does not have four hexadecimal digits. */
function escapedUnit(text: string, start: number): number {
    let unit = 0;
    for (let i = start + 2; i < start + 6; i++) unit = (unit << 4) | hexValue(text.charCodeAt(i));
    return unit;
}

/**
 * Returns the value of a hexadecimal digit, by its character code; -1 for any other character and beyond the end of a
 * text.
 */
function hexValue(code: number): number {
    if (code >= 0x30 && code <= 0x39) return code - 0x30;
    const letter = code | 0x20; // lower case
    return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function skipBlanks(text: string, start: number): number {
    let i = start;
    while (i < text.length && text.charCodeAt(i) <= BLANK) i++;
    return i;
}
