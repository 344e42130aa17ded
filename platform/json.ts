/** How deep objects and arrays may be nested: a value inside 32 of them is read, a 33rd bracket is refused. */
export const MAX_JSON_DEPTH = 32;

/** Keys in one text, all objects together: 1 MiB could hold 150,000, and comparing them would hold the event loop. */
export const MAX_JSON_KEYS = 20_000;

/** A JSON value kept as the very text that was sent: number spellings, key order and blanks survive. */
export class JsonText {
    readonly text: string;

    constructor(text: string) {
        this.text = text;
    }
}

/** Why a text was refused. The message is fit for a caller: it may name a key, never a value. */
export class JsonError extends Error {
    override readonly name = 'JsonError';
}

/**
 * Reads JSON (RFC 8259) as I-JSON (RFC 7493) would have it: no duplicate keys, no NUL, no lone surrogate, no number beyond a
 * double, at most MAX_JSON_DEPTH levels and MAX_JSON_KEYS keys. `__proto__` is an ordinary key. Members of the outermost
 * object that are named in `raw` and hold an object come back as `JsonText`.
 * @throws JsonError
 */
export function parseJson(text: string, raw: ReadonlySet<string>): unknown {
    // Surrogates sent as themselves; those sent as \u escapes are met in scan().
    if (!text.isWellFormed()) throw new JsonError('lone surrogate in a string');
    const { key_count, slices } = scan(text, raw); // before the syntax: building 500,000 levels would take 0.2 s
    const value = parseSyntax(text);
    // Of a key that stands twice in one object JSON.parse keeps the last.
    if (countKeys(value) !== key_count) throw new JsonError('a key stands twice in one object');
    for (const [name, slice] of slices) {
        // scan() found `name` as a member of the outermost object, so `value` has it as its own.
        (value as Record<string, unknown>)[name] = new JsonText(slice);
    }
    return value;
}

function parseSyntax(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        throw new JsonError('not valid JSON'); // JSON.parse's own message quotes the text
    }
}

/** The keys of all its objects together. */
function countKeys(value: unknown): number {
    if (typeof value !== 'object' || value === null) {
        if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
            throw new JsonError('number out of range');
        }
        return 0;
    }
    const is_array = Array.isArray(value);
    const members: unknown[] = is_array ? value : Object.values(value);
    let count = is_array ? 0 : members.length;
    for (const member of members) count += countKeys(member);
    return count;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * One pass over a text that may yet turn out not to be JSON: it ends on any text, and what it found counts only when the
 * syntax is right too. Gives the number of keys, and the slices of the raw members, by name.
 */
function scan(text: string, raw: ReadonlySet<string>): { key_count: number; slices: Map<string, string> } {
    const slices = new Map<string, string>();
    const escapes = escapeFinder(text);
    let depth = 0;
    let string_start = 0;
    let string_end = 0;
    let raw_name: string | undefined;
    let raw_start = 0;
    let key_count = 0;
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code === QUOTE) {
            string_start = i + 1;
            i = string_end = closingQuote(text, string_start, escapes);
        } else if (code === COLON) {
            if (++key_count > MAX_JSON_KEYS) throw new JsonError(`more than ${MAX_JSON_KEYS} keys`);
            if (depth !== 1 || raw.size === 0) continue;
            const key = keyOf(text.slice(string_start, string_end));
            raw_start = skipBlanks(text, i + 1);
            raw_name = raw.has(key) && text.charCodeAt(raw_start) === OPEN_OBJECT ? key : undefined;
        } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
            if (++depth > MAX_JSON_DEPTH) throw new JsonError(`nested deeper than ${MAX_JSON_DEPTH} levels`);
        } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
            depth--;
            if (depth === 1 && raw_name !== undefined) {
                slices.set(raw_name, text.slice(raw_start, i + 1));
                raw_name = undefined;
            }
        }
    }
    return { key_count, slices };
}

/** A key with its escapes decoded, from how it stands between its quotes. */
function keyOf(written: string): string {
    return written.includes('\\') ? String(parseSyntax(`"${written}"`)) : written;
}

/** Answers where, from `start` on, the next backslash stands; to be asked in ascending order, so that it looks at each place once. */
function escapeFinder(text: string): (start: number) => number {
    let next = -1;
    return (start) => {
        if (next < start) {
            next = text.indexOf('\\', start);
            if (next === -1) next = text.length;
        }
        return next;
    };
}

function closingQuote(text: string, start: number, nextEscape: (start: number) => number): number {
    let i = start;
    for (;;) {
        const quote = text.indexOf('"', i);
        const end = quote === -1 ? text.length : quote;
        const backslash = nextEscape(i);
        if (backslash >= end) return end;
        i = afterEscape(text, backslash);
    }
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

/** The UTF-16 unit of the escape that starts there; NaN where it is no escape. */
function escapedUnit(text: string, start: number): number {
    return Number(`0x${text.slice(start + 2, start + 6)}`);
}

function skipBlanks(text: string, start: number): number {
    let i = start;
    while (text.charCodeAt(i) <= 0x20) i++;
    return i;
}

/** As JSON.stringify, but each `JsonText`, at any depth, is put in unchanged. Members that are undefined are left out. */
export function stringifyJson(value: unknown): string {
    if (typeof value === 'string') return quote(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
    if (value instanceof JsonText) return value.text;
    if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
    if ('toJSON' in value) return JSON.stringify(value);
    let members = '';
    for (const name of Object.keys(value)) {
        const member = (value as Record<string, unknown>)[name]; // its own key
        if (member !== undefined) members += `${members === '' ? '{' : ','}${quote(name)}:${stringifyJson(member)}`;
    }
    return members === '' ? '{}' : `${members}}`;
}

const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

function quote(text: string): string {
    // Up to about 32 characters the check is cheaper than the call, and most texts here are keys.
    return text.length > 32 || NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}
