import assert from 'node:assert/strict';
import { it } from 'node:test';
import { attempt, type Parser } from './parser-inputs.ts';
import { PARSERS } from './parsers.ts';

/** Twice the input may take at most this many times as long. Quadratic work takes four times as long. */
const LARGEST_RATIO = 2.6;
/** Shorter times (ms) are indistinguishable from noise. Quadratic work takes longer even for a header of 15 KiB. */
const NEGLIGIBLE_MS = 10;
/** Largest number of measurements before the test fails. The shortest time is the least disturbed one. */
const MOST_MEASUREMENTS = 40;

function elapsed({ run }: Parser, input: string): number {
    const began = performance.now();
    attempt(() => run(input));
    return performance.now() - began;
}

/** Returns whether twice the input takes about twice the time, with the shortest time (ms) measured for each. */
function isLinear(parser: Parser, textOf: (size: number) => string): { linear: boolean; half: number; whole: number } {
    const [shorter, longer] = [textOf(parser.longest >> 1), textOf(parser.longest)];
    let half = Number.POSITIVE_INFINITY;
    let whole = Number.POSITIVE_INFINITY;
    for (let measurement = 0; measurement < MOST_MEASUREMENTS; measurement++) {
        half = Math.min(half, elapsed(parser, shorter));
        whole = Math.min(whole, elapsed(parser, longer));
        if (whole < NEGLIGIBLE_MS || whole / half < LARGEST_RATIO) return { linear: true, half, whole };
    }
    return { linear: false, half, whole };
}

for (const parser of PARSERS) {
    it(`${parser.at} takes at most about twice as long for twice the input`, () => {
        for (const [what, textOf] of Object.entries(parser.worst)) {
            const { linear, half, whole } = isLinear(parser, textOf);
            assert.ok(
                linear,
                `${what}: ${half.toFixed(1)} ms for half of the input, ${whole.toFixed(1)} ms for all of it`,
            );
        }
    });
}
