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
/** Largest number of measurements before the test fails. The shortest time is the least disturbed one. */
const MOST_MEASUREMENTS = 40;

/** The CPU time of this thread, in milliseconds. Other work on the machine does not count. */
function cpuMs(): number {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
}

function timeOf({ run }: Parser, input: string): number {
    const began = cpuMs();
    attempt(() => run(input));
    return cpuMs() - began;
}

/** The shortest CPU times (ms) that were measured for an eighth of the input, for half of it, and for all of it. */
interface Times {
    eighth: number;
    half: number;
    whole: number;
}

function looksLinear({ eighth, half, whole }: Times): boolean {
    return whole < NEGLIGIBLE_MS || whole / half < LARGEST_RATIO || whole / eighth < LARGEST_RATIO_OF_EIGHT;
}

/** Measures until the work looks linear, or MOST_MEASUREMENTS times. */
function measure(parser: Parser, textOf: (size: number) => string): Times {
    const { longest } = parser;
    const [eighth, half, whole] = [textOf(longest >> 3), textOf(longest >> 1), textOf(longest)];
    const times: Times = {
        eighth: Number.POSITIVE_INFINITY,
        half: Number.POSITIVE_INFINITY,
        whole: Number.POSITIVE_INFINITY,
    };
    for (let measurement = 0; measurement < MOST_MEASUREMENTS; measurement++) {
        times.eighth = Math.min(times.eighth, timeOf(parser, eighth));
        times.half = Math.min(times.half, timeOf(parser, half));
        times.whole = Math.min(times.whole, timeOf(parser, whole));
        if (looksLinear(times)) break;
    }
    return times;
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
