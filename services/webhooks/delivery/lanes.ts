import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../platform/telemetry/log.ts';
import { within } from '../../../platform/within.ts';
import type { Sender } from '../sender/sender.ts';
import { type LaneDependencies, runLane } from './lane.ts';
import { LEASE_SECONDS } from './lanes.store.ts';
import type { LanesStore } from './rows.ts';

/** How often a process looks for webhooks for which there is something to do, in milliseconds. */
const LOOK_EVERY_MS = 500;
/** Maximum number of webhooks that a process serves at a time. Beyond it: the next ones wait. */
const MAX_LANES = 512;
/** How often a process extends its leases, in milliseconds. */
const EXTEND_EVERY_MS = 3_000;
/** How long before its end a lease counts as lost, in milliseconds: what is under way then is broken off in time. */
const MARGIN_MS = 2_000;
/** How long a process relies on a lease since it asked for it, in milliseconds. Beyond it: the lane is broken off. */
const RELY_MS = LEASE_SECONDS * 1_000 - MARGIN_MS;
/** Time limit for deliveries under way when the process stops, in milliseconds. Beyond it: they are broken off. */
const STOP_MS = 5_000;
/** How long a webhook waits whose lane has failed for a reason of ours, in milliseconds. */
const FAILED_MS = 5_000;

interface Lane {
    abort: AbortController;
    done: Promise<void>;
    /** Breaks the lane off when nobody knows any more whether the lease is still that of this process. */
    loss?: NodeJS.Timeout;
}

export interface LanesDependencies extends Omit<LaneDependencies, 'sender'> {
    sender: Sender;
    log: Log;
}

/**
 * Serves the webhooks for which there is something to do: one lane for each, so that none waits for another. A webhook is
 * leased, so no two processes send to it. A process that ends without giving its leases back loses them after some seconds.
 */
export function startLanes(deps: LanesDependencies): { stop(): Promise<void> } {
    const { store, log, clock, sender } = deps;
    const lanes = new Map<string, Lane>();
    const stopping = new AbortController();
    const { signal } = stopping;

    async function serve(id: string, abort: AbortController): Promise<void> {
        try {
            await runLane(id, deps, abort.signal);
        } catch (error) {
            log.error({ err: error }, 'deliveries to a webhook are interrupted');
            const dueAt = new Date(clock() + FAILED_MS).toISOString();
            await store.release({ id, wakes: 'any', dueAt }).catch(() => {}); // the lease ends by itself
        } finally {
            clearTimeout(lanes.get(id)?.loss);
            lanes.delete(id);
        }
    }

    async function look(): Promise<void> {
        const room = MAX_LANES - lanes.size;
        if (room <= 0) return;
        const asked = performance.now();
        for (const id of await store.lease(room, new Date(clock()).toISOString())) {
            const earlier = lanes.get(id);
            if (earlier) {
                earlier.abort.abort(); // its lease had ended: when it ends, it gives the new one back, too
                continue;
            }
            const abort = new AbortController();
            const lane = { abort, done: serve(id, abort) };
            lanes.set(id, lane);
            relyOnLease(lane, asked);
        }
    }

    const extend = leaseExtension(lanes, store);
    const loops = [
        repeated(look, { everyMs: LOOK_EVERY_MS, fault: 'could not look for webhooks with deliveries', log, signal }),
        repeated(extend, { everyMs: EXTEND_EVERY_MS, fault: 'could not extend the leases of webhooks', log, signal }),
    ];
    return {
        async stop() {
            stopping.abort();
            await Promise.all(loops);
            const all = () => Promise.all(Array.from(lanes.values(), ({ done }) => done));
            await within(STOP_MS, all());
            for (const { abort } of lanes.values()) abort.abort();
            await sender.close();
            await all();
        },
    };
}

/** Returns a function that extends the leases of lanes, and breaks off the lanes that have lost theirs. */
function leaseExtension(lanes: ReadonlyMap<string, Lane>, store: Pick<LanesStore, 'extend'>): () => Promise<void> {
    return async () => {
        const ids = [...lanes.keys()];
        if (ids.length === 0) return;
        const asked = performance.now();
        const kept = new Set(await store.extend(ids));
        for (const id of ids) {
            const lane = lanes.get(id);
            if (lane && kept.has(id)) relyOnLease(lane, asked);
            else lane?.abort.abort();
        }
    };
}

/**
 * Lets a lane go on for RELY_MS since the process `asked` for its lease. So it also ends in time if the database does not
 * answer the next question.
 */
function relyOnLease(lane: Lane, asked: number): void {
    clearTimeout(lane.loss);
    lane.loss = setTimeout(() => lane.abort.abort(), asked + RELY_MS - performance.now());
}

/** Does work again and again until the signal, and logs a failure as `fault`. */
async function repeated(
    work: () => Promise<void>,
    { everyMs, fault, log, signal }: { everyMs: number; fault: string; log: Log; signal: AbortSignal },
): Promise<void> {
    while (!signal.aborted) {
        await work().catch((error: unknown) => log.error({ err: error }, fault));
        await delay(everyMs, undefined, { signal, ref: false }).catch(() => {});
    }
}
