import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from './target.ts';

/** A delay of the event loop that no single request may cause, in seconds. */
const LONGEST_DELAY_S = 0.05;
/** How often an ordinary client calls, in milliseconds. */
const CALL_EVERY_MS = 10;

/** What the attacked process tells of itself. */
export interface Vitals {
    /** Seconds since 1970: another value means another process. */
    started: number;
    resident_bytes: number;
    uncaught: number;
    /** Samples of the event loop's delay above LONGEST_DELAY_S, since the process started. */
    long_delays: number;
}

export interface Observed {
    /** The process is the same one, and has caught every error. */
    survived: boolean;
    /** How much the process has grown, in bytes, at the most and after the attack. */
    grown: { most: number; after: number };
    long_delays: number;
    /** Latencies of an ordinary client in milliseconds, and how many of its calls failed. */
    client: { p99: number; longest: number; failed: number };
}

export async function vitalsOf({ ops }: Target): Promise<Vitals> {
    const response = await fetch(`http://${ops}/metrics`);
    const text = await response.text();
    const value = (series: string): number => {
        const line = text.split('\n').find((each) => each.startsWith(`${series} `));
        return Number(line?.slice(series.length + 1) ?? Number.NaN);
    };
    return {
        started: value('process_start_time_seconds'),
        resident_bytes: value('process_resident_memory_bytes'),
        uncaught: value('process_uncaught_exceptions_total'),
        long_delays:
            value('event_loop_delay_seconds_count') - value(`event_loop_delay_seconds_bucket{le="${LONGEST_DELAY_S}"}`),
    };
}

/** Carries out an attack and watches the process and an ordinary client meanwhile. */
export async function observe(target: Target, attack: () => Promise<unknown>): Promise<Observed> {
    const before = await vitalsOf(target);
    let is_over = false;
    let most = before.resident_bytes;
    const watched = (async () => {
        while (!is_over) {
            most = Math.max(most, (await vitalsOf(target)).resident_bytes);
            await delay(50);
        }
    })();
    const calls = callRegularly(target, () => is_over);
    await attack().finally(() => {
        is_over = true;
    });
    await watched;
    const client = await calls;
    const after = await vitalsOf(target);
    return {
        survived: after.started === before.started && after.uncaught === 0,
        grown: { most: most - before.resident_bytes, after: after.resident_bytes - before.resident_bytes },
        long_delays: after.long_delays - before.long_delays,
        client,
    };
}

/** An ordinary client: it makes a DID, waits for the answer, pauses and makes the next one. */
async function callRegularly({ url, caller }: Target, isOver: () => boolean): Promise<Observed['client']> {
    const latencies: number[] = [];
    let failed = 0;
    do {
        const began = performance.now();
        const headers = { authorization: `Bearer ${caller.api_key}` };
        const response = await fetch(`${url}/v1/did`, { method: 'POST', headers }).catch(() => undefined);
        await response?.arrayBuffer().catch(() => {});
        if (response?.status !== 201) failed++;
        latencies.push(performance.now() - began);
        await delay(CALL_EVERY_MS);
    } while (!isOver());
    latencies.sort((one, other) => one - other);
    const p99 = latencies[Math.ceil(0.99 * latencies.length) - 1] ?? Number.NaN;
    return { p99, longest: latencies.at(-1) ?? Number.NaN, failed };
}
