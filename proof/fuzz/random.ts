/** A pseudo-random generator that gives the same numbers in every run with the same seed. */
export interface Random {
    /** A whole number from 0 to `bound` - 1; 0 if `bound` is less than 1. */
    below(bound: number): number;
    /** True once in `times` on average. */
    oneIn(times: number): boolean;
    pick<T>(list: readonly [T, ...T[]]): T;
    pick<T>(list: readonly T[]): T | undefined;
}

/** The seed is any text. Each part of the fuzzer adds its name to the seed, so that parts get different numbers. */
export function seededRandom(seed: string): Random {
    let state = fnv1a(seed);
    // mulberry32, by Tommy Ettinger (public domain).
    const next = (): number => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
    const below = (bound: number): number => Math.floor(next() * Math.max(bound, 1));
    return {
        below,
        oneIn: (times) => below(times) === 0,
        pick: <T>(list: readonly T[]) => list[below(list.length)] as T, // undefined for an empty list, as declared
    };
}

function fnv1a(text: string): number {
    let hash = 0x811c9dc5;
    for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
    return hash;
}
