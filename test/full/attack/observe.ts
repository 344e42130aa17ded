import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { until } from '../../support/until.ts';
import type { ClientData, ClientFindings } from './ordinary-client.ts';
import type { Target } from './target.ts';

/** Longest event loop delay that a single request may cause, in seconds. */
const LONGEST_DELAY_S = 0.05;

/** Figures from the metrics of the attacked process. */
interface Vitals {
    /** Start time in seconds since 1970. A different value means that the process was restarted. */
    started: number;
    residentBytes: number;
    /** Heap and external memory in use, in bytes. What malloc keeps for later is no part of it. */
    usedBytes: number;
    uncaught: number;
    /** Number of event loop delays longer than LONGEST_DELAY_S since the process started. */
    longDelays: number;
}

export interface Observed {
    /** The process was not restarted and had no uncaught exception. */
    survived: boolean;
    /** The largest growth of resident memory during the attack, in bytes. */
    grownBytes: number;
    /** Waits until the memory in use has grown by fewer bytes than this. */
    givesBack(bytes: number): Promise<unknown>;
    longDelays: number;
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
        residentBytes: value('process_resident_memory_bytes'),
        usedBytes: value('nodejs_heap_size_used_bytes') + value('nodejs_external_memory_bytes'),
        uncaught: value('process_uncaught_exceptions_total'),
        longDelays:
            value('event_loop_delay_seconds_count') - value(`event_loop_delay_seconds_bucket{le="${LONGEST_DELAY_S}"}`),
    };
}

/**
 * Runs an attack while an ordinary client calls the service. Returns the findings about the process and the client.
 * `mayBeShed`: the attack keeps the service so busy that it may refuse calls of the client, too.
 */
export async function observe(
    target: Target,
    attack: () => Promise<unknown>,
    { mayBeShed = false } = {},
): Promise<Observed> {
    const before = await vitalsOf(target);
    let isOver = false;
    let most = before.residentBytes;
    const watched = (async () => {
        while (!isOver) {
            most = Math.max(most, (await vitalsOf(target)).residentBytes);
            await delay(50);
        }
    })();
    const clientData: ClientData = { url: target.url, api_key: target.caller.api_key, mayBeShed };
    const clientThread = new Worker(new URL('./ordinary-client.ts', import.meta.url), { workerData: clientData });
    const found = once(clientThread, 'message') as Promise<[ClientFindings]>;
    await once(clientThread, 'online');
    await attack().finally(() => {
        isOver = true;
        clientThread.postMessage('end');
    });
    await watched;
    const [client] = await found;
    const after = await vitalsOf(target);
    return {
        survived: after.started === before.started && after.uncaught === 0,
        grownBytes: most - before.residentBytes,
        givesBack: (bytes) =>
            until(`all but ${bytes} bytes are given back`, async () => {
                const { usedBytes } = await vitalsOf(target); // each reading allocates, until memory is collected
                return usedBytes - before.usedBytes < bytes;
            }),
        longDelays: after.longDelays - before.longDelays,
        client,
    };
}
