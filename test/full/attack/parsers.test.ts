import assert from 'node:assert/strict';
import { it } from 'node:test';
import { attempt, type Parser } from './parser-inputs.ts';
import { PARSERS } from './parsers.ts';

/** Twice the input may take at most this many times as long. Quadratic work takes four times as long. */
const LARGEST_RATIO = 2.6;
/**
 * Eight times the input may take at most this many times as long, on a machine on which the collection of garbage makes
 * twice the input look worse than it is. Quadratic work takes 64 times as long.
 */
const LARGEST_RATIO_OF_EIGHT = 16;
/** Shorter times (ms) are indistinguishable from noise. Quadratic work takes longer even for a header of 15 KiB. */
const NEGLIGIBLE_MS = 10;
/** Number of runs in the last measurement before the test fails. */
const MOST_RUNS = 40;

/** The CPU time of this thread, in milliseconds. Other work on the machine does not count. */
function cpuMs(): number {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
}

function timeOf({ run }: Parser, input: string, runs: number): number {
    const began = cpuMs();
    for (let left = runs; left > 0; left--) attempt(() => run(input));
    return (cpuMs() - began) / runs;
}

/** The CPU times (ms) of a run for an eighth of the input, for half of it, and for all of it. */
interface Times {
    eighth: number;
    half: number;
    whole: number;
}

function looksLinear({ eighth, half, whole }: Times): boolean {
    return whole < NEGLIGIBLE_MS || whole / half < LARGEST_RATIO || whole / eighth < LARGEST_RATIO_OF_EIGHT;
}

/**
 * Measures more and more runs, up to MOST_RUNS, until the work looks linear. The CPU time of some machines grows in steps of
 * four milliseconds, so that one run says little.
 */
function measure(parser: Parser, textOf: (size: number) => string): Times {
    const { longest } = parser;
    const [eighth, half, whole] = [textOf(longest >> 3), textOf(longest >> 1), textOf(longest)];
    for (let runs = 1; ; runs++) {
        const times = {
            eighth: timeOf(parser, eighth, runs),
            half: timeOf(parser, half, runs),
            whole: timeOf(parser, whole, runs),
        };
        if (looksLinear(times) || runs === MOST_RUNS) return times;
    }
}

for (const parser of PARSERS) {
    it(`${parser.at} takes at most about twice as long for twice the input`, () => {
        for (const [what, textOf] of Object.entries(parser.worst)) {
            const times = measure(parser, textOf);
            const { eighth, half, whole } = times;
            const told = `${eighth.toFixed(1)}, ${half.toFixed(1)} and ${whole.toFixed(1)} ms`;
            assert.ok(looksLinear(times), `${what}: ${told} for an eighth, a half and all of the input`);
        }
    });
}
