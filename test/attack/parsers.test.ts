import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Parser } from './parser-inputs.ts';
import { attempt, PARSERS } from './parsers.ts';

/** The time for twice the input may be this many times as long; quadratic work takes four times as long. */
const LARGEST_RATIO = 2.6;
/** Less than this is not told from noise, in milliseconds. Quadratic work takes longer even for a header of 15 KiB. */
const NEGLIGIBLE_MS = 10;
/** Measurements before a ratio is believed: the shortest of them are those that nothing has disturbed. */
const MOST_MEASUREMENTS = 40;

function elapsed({ run }: Parser, input: string): number {
    const began = performance.now();
    attempt(() => run(input));
    return performance.now() - began;
}

/** Whether twice the input takes about twice the time, by the shortest of several measurements of each. */
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
    it(`${parser.at} takes twice as long for twice the input, at most`, () => {
        for (const [what, textOf] of Object.entries(parser.worst)) {
            const { linear, half, whole } = isLinear(parser, textOf);
            assert.ok(linear, `${what}: ${half.toFixed(1)} ms for a half, ${whole.toFixed(1)} ms for all of it`);
        }
    });
}
