import { type Latency, latencyOf } from '../percentiles.ts';
import type { Answer } from './connection.ts';

export interface LoadResult {
    /** Number of answers in the counted time, including unexpected ones. */
    requests: number;
    seconds: number;
    /** Number of unexpected answers and lost connections, including those in the warm-up. */
    errors: number;
    firstError: string | undefined;
    /** Latency of the expected answers. */
    latency: Latency;
    /** One expected answer, as it was received. */
    sample: string;
}

export interface Tally {
    /** Starts counting: the warm-up is over. */
    begin(): void;
    /** Ends counting. */
    end(): void;
    isOver(): boolean;
    add(answer: Answer, latencyMs: number): void;
    lose(reason: string): void;
    result(): LoadResult;
}

/** What an expected answer looks like. */
export interface Expected {
    status: number;
    /** The answer contains this text. */
    text?: string;
}

/** How much of an unexpected answer is kept for the report, in bytes. */
const SHOWN = 600;

/** Counts answers between `begin` and `end`. */
export function tally({ status: expectedStatus, text = '' }: Expected): Tally {
    const expectedText = Buffer.from(text);
    const latencies: number[] = [];
    let began = Number.NaN;
    let ended = Number.NaN;
    let requests = 0;
    let errors = 0;
    let firstError: string | undefined;
    let sample = '';
    const fail = (reason: string): void => {
        errors++;
        firstError ??= reason;
    };
    return {
        begin() {
            began = performance.now();
        },
        end() {
            if (Number.isNaN(ended)) ended = performance.now();
        },
        isOver: () => !Number.isNaN(ended),
        add({ status, bytes }, latencyMs) {
            const good = status === expectedStatus && bytes.includes(expectedText);
            if (!good) fail(bytes.toString('utf8', 0, SHOWN));
            if (Number.isNaN(began) || !Number.isNaN(ended)) return;
            requests++;
            if (!good) return;
            latencies.push(latencyMs);
            if (sample === '') sample = bytes.toString();
        },
        lose: fail,
        result: () => ({
            requests,
            seconds: (ended - began) / 1_000,
            errors,
            firstError,
            latency: latencyOf(latencies),
            sample,
        }),
    };
}
