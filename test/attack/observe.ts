import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ClientData, ClientFindings } from './ordinary-client.ts';
import type { Target } from './target.ts';

/** A delay of the event loop that no single request may cause, in seconds. */
const LONGEST_DELAY_S = 0.05;

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
    client: ClientFindings;
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
    const client_data: ClientData = { url: target.url, api_key: target.caller.api_key };
    const client_thread = new Worker(new URL('./ordinary-client.ts', import.meta.url), { workerData: client_data });
    const found = once(client_thread, 'message') as Promise<[ClientFindings]>;
    await once(client_thread, 'online');
    await attack().finally(() => {
        is_over = true;
        client_thread.postMessage('end');
    });
    await watched;
    const [client] = await found;
    const after = await vitalsOf(target);
    return {
        survived: after.started === before.started && after.uncaught === 0,
        grown: { most: most - before.resident_bytes, after: after.resident_bytes - before.resident_bytes },
        long_delays: after.long_delays - before.long_delays,
        client,
    };
}
