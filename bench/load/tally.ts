import { type Latency, latencyOf } from '../percentiles.ts';
import type { Answer } from './connection.ts';

export interface LoadResult {
    /** Answered in the counted time, whatever the answer. */
    requests: number;
    seconds: number;
    /** Answers that are not what is expected, and connections that were lost; in the warm-up too. */
    errors: number;
    first_error: string | undefined;
    /** Of the expected answers. */
    latency: Latency;
    /** One expected answer, as it came. */
    sample: string;
}

export interface Tally {
    /** The warm-up is over. */
    begin(): void;
    /** What comes from now on is not counted. */
    end(): void;
    isOver(): boolean;
    add(answer: Answer, latency_ms: number): void;
    lose(reason: string): void;
    result(): LoadResult;
}

/** What an answer must be. */
export interface Expected {
    status: number;
    /** Is somewhere in it. */
    text?: string;
}

/** How much of a refusal is kept to be shown, in bytes. */
const SHOWN = 600;

/** Counts answers between `begin` and `end`. */
export function tally({ status: expected_status, text = '' }: Expected): Tally {
    const expected_text = Buffer.from(text);
    const latencies: number[] = [];
    let began = Number.NaN;
    let ended = Number.NaN;
    let requests = 0;
    let errors = 0;
    let first_error: string | undefined;
    let sample = '';
    const fail = (reason: string): void => {
        errors++;
        first_error ??= reason;
    };
    return {
        begin() {
            began = performance.now();
        },
        end() {
            if (Number.isNaN(ended)) ended = performance.now();
        },
        isOver: () => !Number.isNaN(ended),
        add({ status, bytes }, latency_ms) {
            const good = status === expected_status && bytes.includes(expected_text);
            if (!good) fail(bytes.toString('utf8', 0, SHOWN));
            if (Number.isNaN(began) || !Number.isNaN(ended)) return;
            requests++;
            if (!good) return;
            latencies.push(latency_ms);
            if (sample === '') sample = bytes.toString();
        },
        lose: fail,
        result: () => ({
            requests,
            seconds: (ended - began) / 1_000,
            errors,
            first_error,
            latency: latencyOf(latencies),
            sample,
        }),
    };
}
