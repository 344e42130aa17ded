import { JsonError, parseSyntax, scanJson } from './json-scan.ts';

export { JsonError, MAX_JSON_DEPTH, MAX_JSON_KEYS } from './json-scan.ts';

/** A JSON value as the text that was sent, with its number spellings, key order and blanks. */
export class JsonText {
    readonly text: string;

    constructor(text: string) {
        this.text = text;
    }
}

interface ParseOptions {
    /** Names of members of the outermost object. If such a member holds an object, it is returned as `JsonText`. */
    raw: ReadonlySet<string>;
    /** The name of a list in the outermost object. `raw` also names members of the objects in this list. */
    list?: string;
    /** Maximum number of commas outside of strings, which bounds the number of values. */
    maxCommas?: number;
}

/**
 * Parses JSON (RFC 8259) with the restrictions of I-JSON (RFC 7493): no duplicate keys, no NUL, no lone surrogate, no
 * number beyond a double, at most MAX_JSON_DEPTH levels and MAX_JSON_KEYS keys. `__proto__` is an ordinary key. The
 * time it takes is proportional to the length of the text.
 * @throws JsonError
 */
export function parseJson(text: string, { raw, list, maxCommas = Number.POSITIVE_INFINITY }: ParseOptions): unknown {
    requireWellFormed(text);
    // Runs before JSON.parse: it costs a tenth as much, and refuses texts that are expensive to parse.
    const { keyCount, commaCount, members } = scanJson(text, { names: raw, list });
    if (commaCount > maxCommas) throw new JsonError(`more than ${maxCommas} values`);
    const value = parseSyntax(text);
    // If an object has a key twice, JSON.parse keeps the last value.
    if (countKeys(value) !== keyCount) throw new JsonError('a key stands twice in one object');
    for (const { name, item, text: slice } of members) {
        if (slice.startsWith('{')) holderOf(value as Holder, list, item)[name] = new JsonText(slice);
    }
    return value;
}

type Holder = Record<string, unknown>;

/** Returns the object that has a member which scanJson() has found: the outermost one, or an item of the list. */
function holderOf(outermost: Holder, list = '', item?: number): Holder {
    return item === undefined ? outermost : ((outermost[list] as Holder[])[item] as Holder);
}

/**
 * Returns the string that the outermost object of `text` has under `name`; undefined if there is none. It parses
 * nothing else, so it may also return a string for a text that is not valid JSON.
 * @throws JsonError for most texts that parseJson() refuses
 */
export function topLevelString(text: string, name: string): string | undefined {
    requireWellFormed(text);
    const slice = scanJson(text, { names: new Set([name]) }).members.at(-1)?.text;
    return slice?.startsWith('"') ? String(parseSyntax(slice)) : undefined;
}

/** Refuses lone surrogates that are sent literally. scanJson() finds those that are sent as escapes. */
function requireWellFormed(text: string): void {
    if (!text.isWellFormed()) throw new JsonError('lone surrogate in a string');
}

/** Returns the number of keys in a value, over all objects. Throws JsonError for a number out of range. */
function countKeys(value: unknown): number {
    if (typeof value !== 'object' || value === null) {
        if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
            throw new JsonError('number out of range');
        }
        return 0;
    }
    let count = 0;
    if (Array.isArray(value)) {
        for (const item of value) count += countKeys(item);
        return count;
    }
    for (const name in value) count += 1 + countKeys(value[name as keyof typeof value]); // nothing that it inherits is enumerable
    return count;
}

/**
 * Like JSON.stringify, but includes each `JsonText` unchanged, at any depth. Members that are undefined are left out.
 */
export function stringifyJson(value: unknown): string {
    if (typeof value === 'string') return quote(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
    if (value instanceof JsonText) return value.text;
    if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
    if ('toJSON' in value) return JSON.stringify(value);
    let members = '';
    for (const name in value) {
        const member = (value as Record<string, unknown>)[name]; // nothing that an answer inherits is enumerable
        if (member !== undefined) members += `${members === '' ? '{' : ','}${quote(name)}:${stringifyJson(member)}`;
    }
    return members === '' ? '{}' : `${members}}`;
}

const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

function quote(text: string): string {
    // Up to about 32 characters, this check is cheaper than JSON.stringify. Most texts here are shorter: they are keys.
    return text.length > 32 || NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}
