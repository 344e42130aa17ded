import { type Canary, formsOf } from './canary.ts';

interface Hit {
    canary: Canary;
    form: string;
    /** In bytes. */
    offset: number;
}

interface Needle {
    canary: Canary;
    form: string;
    bytes: Buffer;
}

/** A haystack is read in steps of this many bytes; a needle holds a whole window of the next one, wherever it begins. */
const STEP_BYTES = 4;
const WINDOW_BYTES = 2 * STEP_BYTES;
const SHORTEST_NEEDLE = STEP_BYTES - 1 + WINDOW_BYTES;
const FILTER_BITS = 22;

/** Looks for all canaries, in all their forms, in one pass over the bytes. */
export function searcher(canaries: readonly Canary[]): (haystack: Uint8Array) => Hit[] {
    /** The needles that have a window with this hash among their first bytes, and where in them it begins. */
    const byHash = new Map<number, Array<{ needle: Needle; at: number }>>();
    /** Whether there may be any, by a part of the hash: most windows of a haystack go no further. */
    const filter = new Uint8Array(1 << FILTER_BITS);

    for (const canary of canaries) {
        for (const [form, bytes] of formsOf(canary.bytes)) {
            if (bytes.length < SHORTEST_NEEDLE) throw new RangeError(`${canary.label} is too short to be looked for.`);
            for (let at = 0; at < STEP_BYTES; at++) {
                const hash = hashOf(bytes.readInt32LE(at), bytes.readInt32LE(at + STEP_BYTES));
                filter[hash >>> (32 - FILTER_BITS)] = 1;
                const needles = byHash.get(hash) ?? [];
                needles.push({ needle: { canary, form, bytes }, at });
                byHash.set(hash, needles);
            }
        }
    }

    return (haystack) => {
        const bytes = Buffer.from(haystack.buffer, haystack.byteOffset, haystack.byteLength);
        const aligned = haystack.byteOffset % STEP_BYTES === 0 ? haystack : new Uint8Array(haystack);
        const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2);
        const hits: Hit[] = [];
        for (let index = 0; index + 1 < words.length; index++) {
            const hash = hashOf(words[index] as number, words[index + 1] as number); // both below the length
            if (filter[hash >>> (32 - FILTER_BITS)] === 0) continue;
            for (const { needle, at } of byHash.get(hash) ?? []) {
                const offset = index * STEP_BYTES - at;
                if (!isAt(bytes, offset, needle.bytes)) continue;
                hits.push({ canary: needle.canary, form: needle.form, offset });
            }
        }
        return hits;
    };
}

/** The hash of a window, by its two halves. */
function hashOf(first: number, second: number): number {
    return Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b);
}

function isAt(haystack: Buffer, offset: number, needle: Buffer): boolean {
    if (offset < 0 || offset + needle.length > haystack.length) return false;
    return haystack.compare(needle, 0, needle.length, offset, offset + needle.length) === 0;
}
