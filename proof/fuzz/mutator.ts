import type { Random } from './random.ts';

interface MutatorOptions {
    random: Random;
    /** Pieces of text that the parser treats specially. */
    dictionary: readonly string[];
    maxBytes: number;
}

type Change = (bytes: Buffer, options: MutatorOptions) => Buffer;

/** Most changes that are made to one input: as many as AFL's "havoc" stage found useful for small inputs. */
const MOST_CHANGES = 6;
/** One in this many inputs has a piece repeated up to the greatest length, which reveals slow parsers. */
const STRETCH_ONE_IN = 400;

/** Separators and special values of the formats that the targets read. */
const COMMON = [
    ...['"', '\\', '{', '}', '[', ']', ':', ',', '.', '-', '+', '%', '&', '=', '?', '/', '@', '$', ' ', '\0', '\r\n'],
    ...['\\u0000', '\\ud800', '\\u0041', '__proto__', 'null', '0', '1e999', '-0', 'é', 'ﬀ', '😀', '\ufeff', '\u202e'],
];
const SEPARATOR = /[,:;&=.?/[\]{}"\\%\n -]/g;
const BYTES = [0x00, 0x01, 0x7f, 0x80, 0xc0, 0xed, 0xf4, 0xff] as const;

const CHANGES: readonly [Change, ...Change[]] = [
    (bytes, { random }) => {
        const copy = Buffer.from(bytes);
        const at = random.below(copy.length);
        if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
        return copy;
    },
    (bytes, { random }) => replace(bytes, someRange(bytes, random, 4), Buffer.of(random.pick(BYTES))),
    (bytes, { random }) => replace(bytes, someRange(bytes, random, 1), Buffer.of(random.below(256))),
    (bytes, { random }) => replace(bytes, someRange(bytes, random, 32), Buffer.alloc(0)),
    (bytes, { random }) => bytes.subarray(0, random.below(bytes.length + 1)),
    (bytes, options) => replace(bytes, placeIn(bytes, options.random), someWord(options)),
    (bytes, options) => replace(bytes, someRange(bytes, options.random, 16), someWord(options)),
    (bytes, options) => replace(bytes, placeIn(bytes, options.random), somePiece(bytes, options.random, 64)),
    (bytes, { random }) => replace(bytes, someRange(bytes, random, 64), somePiece(bytes, random, 64)),
    (bytes, { random }) => grown(bytes, somePart(bytes, random), 1 + random.below(40)),
    (bytes, { random }) => {
        const { start, end } = somePart(bytes, random);
        return replace(bytes, { start, end }, Buffer.alloc(0));
    },
];

/** An input that differs from `bytes` in a few places. Some of the new pieces come from `other`. */
export function mutated(bytes: Buffer, other: Buffer, options: MutatorOptions): Buffer {
    const { random, maxBytes } = options;
    if (random.oneIn(STRETCH_ONE_IN)) return stretched(bytes, options);
    let result = bytes;
    if (random.oneIn(8)) result = replace(result, someRange(result, random, 256), somePiece(other, random, 256));
    for (let left = 1 + random.below(MOST_CHANGES); left > 0; left--) {
        result = random.pick(CHANGES)(result, options).subarray(0, maxBytes); // each change may make it much longer
    }
    return result;
}

/** Repeats a part of the input, or words, up to the greatest length. */
function stretched(bytes: Buffer, options: MutatorOptions): Buffer {
    const { random, maxBytes } = options;
    const room = Math.max(0, maxBytes - bytes.length);
    if (random.oneIn(2)) {
        const range = somePart(bytes, random);
        return grown(bytes, range, Math.floor(room / Math.max(range.end - range.start, 1)));
    }
    const piece = Buffer.concat([someWord(options), someWord(options)]);
    if (piece.length === 0) return bytes;
    return replace(bytes, placeIn(bytes, random), repeated(piece, Math.floor(room / piece.length)));
}

/** The range from one separator to just before a later one: a list item, a member, a parameter or a label. */
function somePart(bytes: Buffer, random: Random): Range {
    const ends = Array.from(bytes.toString('latin1').matchAll(SEPARATOR), ({ index }) => index);
    const first = random.below(ends.length);
    const start = ends[first] ?? 0;
    return { start, end: ends[first + 1 + random.below(4)] ?? bytes.length };
}

/** Inserts the bytes of the range `count` more times after it. */
function grown(bytes: Buffer, { start, end }: Range, count: number): Buffer {
    return replace(bytes, { start: end, end }, repeated(bytes.subarray(start, end), count));
}

interface Range {
    start: number;
    end: number;
}

function placeIn(bytes: Buffer, random: Random): Range {
    const start = random.below(bytes.length + 1);
    return { start, end: start };
}

function someRange(bytes: Buffer, random: Random, most: number): Range {
    const start = random.below(bytes.length);
    return { start, end: Math.min(bytes.length, start + 1 + random.below(most)) };
}

function somePiece(bytes: Buffer, random: Random, most: number): Buffer {
    const { start, end } = someRange(bytes, random, most);
    return bytes.subarray(start, end);
}

function someWord({ random, dictionary }: MutatorOptions): Buffer {
    const words = dictionary.length > 0 && !random.oneIn(4) ? dictionary : COMMON;
    return Buffer.from(random.pick(words) ?? '');
}

function repeated(piece: Buffer, count: number): Buffer {
    return Buffer.alloc(piece.length * count, piece);
}

function replace(bytes: Buffer, { start, end }: Range, piece: Buffer): Buffer {
    return Buffer.concat([bytes.subarray(0, start), piece, bytes.subarray(end)]);
}
