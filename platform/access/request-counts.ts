import { DAY_MS, dayText } from '../days.ts';
import { NIL_ID, newId } from '../ids.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { within } from '../within.ts';

/**
 * A batch is sent this long (ms) after its first call, so that statistics are at most two seconds late while the usage
 * service answers.
 */
const SEND_AFTER_MS = 1_500;
/** Maximum number of keys and accounts in one batch. Beyond it: the next batch begins. */
const MAX_COUNTS = 5_000;
/**
 * Maximum number of batches that wait for the usage service. Beyond it: the oldest one is lost
 * (`request_counts_lost_total`).
 */
const MAX_BATCHES = 20;
/**
 * How long a batch waits for the usage service to take it, in milliseconds. The service remembers batches for longer.
 * Beyond it: the batch is lost.
 */
const GIVE_UP_MS = 3_600_000;
/** How long (ms) a stop waits for the last batches. Beyond it: their counts are lost. */
const STOP_MS = 3_000;

/** Whose requests are counted: a key's, or an account's without a key, or nobody's. */
interface Caller {
    user_id?: string | undefined;
    key_id?: string | undefined;
}

interface Count {
    /** The nil UUID: none. */
    account: string;
    key_id: string | undefined;
    requests: number;
    refused: number;
    verified: number;
    logins: number;
    /** Of the last admitted request, in milliseconds since 1970; 0 if there is none. */
    last_used_at_ms: number;
}

/** The counts of one UTC day since the last batch. */
export interface RequestBatch {
    batch_id: string;
    day: string;
    counts: Count[];
}

export interface RequestCounts {
    /** Counts an admitted call as this number of requests. */
    admitted(caller: Caller, requests: number): void;
    /** Counts a call that was over its limit. */
    refused(caller: Caller): void;
    verifiedPresentation(caller: Caller): void;
    loggedIn(account: string): void;
    /** Sends what is counted, if that is possible soon. */
    stop(): Promise<void>;
}

/**
 * Counts the requests of this process in memory. `record` passes each batch to the usage service. A batch that failed
 * is repeated under the same id, because it may have been recorded. If the process is killed, the counts that it has not
 * yet passed on are lost: of two seconds, or of the time since when the usage service does not answer.
 */
export function requestCounts(options: {
    record(batch: RequestBatch): Promise<unknown>;
    /** Milliseconds since 1970. */
    clock: () => number;
    log: Log;
    metrics: Metrics;
}): RequestCounts {
    const { clock } = options;
    const batches = batchQueue(options);
    const current = currentBatch(batches.add);
    let timer: NodeJS.Timeout | undefined;
    let sending = Promise.resolve();

    function countOf(caller: Caller, now: number): Count {
        timer ??= setTimeout(send, SEND_AFTER_MS).unref();
        return current.countOf(caller, now);
    }

    function send(): void {
        // A batch whose fate is unknown must not grow, so new counts gather until it is recorded.
        if (batches.waiting() === 0) current.close();
        sending = batches.send().then(() => {
            timer = batches.waiting() + current.size() > 0 ? setTimeout(send, SEND_AFTER_MS).unref() : undefined;
        });
    }

    return {
        admitted(caller, requests) {
            const now = clock();
            const count = countOf(caller, now);
            count.requests += requests;
            count.last_used_at_ms = now;
        },
        refused(caller) {
            countOf(caller, clock()).refused++;
        },
        verifiedPresentation(caller) {
            countOf(caller, clock()).verified++;
        },
        loggedIn(account) {
            countOf({ user_id: account }, clock()).logins++;
        },
        async stop() {
            clearTimeout(timer);
            const last = sending.then(() => {
                clearTimeout(timer);
                current.close();
                return batches.send();
            });
            await within(STOP_MS, last);
        },
    };
}

/** The counts since the last batch was closed. A batch is closed at the end of its day, and when it is full. */
function currentBatch(add: (batch: RequestBatch) => void) {
    let day = Number.NaN;
    let counts = new Map<string, Count>();

    function close(): void {
        if (counts.size === 0) return;
        add({ batch_id: newId(), day: dayText(day * DAY_MS), counts: [...counts.values()] });
        counts = new Map();
    }

    function countOf({ user_id: account = NIL_ID, key_id }: Caller, now: number): Count {
        const today = Math.floor(now / DAY_MS);
        if (today !== day) close();
        day = today;
        const name = key_id ?? account;
        const known = counts.get(name);
        if (known) return known;
        if (counts.size === MAX_COUNTS) close();
        const count = { account, key_id, requests: 0, refused: 0, verified: 0, logins: 0, last_used_at_ms: 0 };
        counts.set(name, count);
        return count;
    }

    return { countOf, close, size: () => counts.size };
}

/** The batches that wait for the usage service, oldest first. */
function batchQueue({
    record,
    log,
    metrics,
}: {
    record(batch: RequestBatch): Promise<unknown>;
    log: Log;
    metrics: Metrics;
}) {
    const lost = metrics.counter({
        name: 'request_counts_lost_total',
        help: 'Requests that are missing in the statistics, because the usage service did not take their counts.',
        labels: [],
    });
    lost.inc({}, 0);
    /** Each with the time (`performance.now()`) since when it waits. */
    const waiting = new Map<RequestBatch, number>();
    let isFailing = false;

    function lose(batch: RequestBatch): void {
        waiting.delete(batch);
        const requests = batch.counts.reduce((sum, count) => sum + count.requests, 0);
        lost.inc({}, requests);
    }

    return {
        waiting: () => waiting.size,
        add(batch: RequestBatch): void {
            const [oldest] = waiting.keys();
            if (oldest && waiting.size === MAX_BATCHES) lose(oldest);
            waiting.set(batch, performance.now());
        },
        /** Sends the batches until one fails. */
        async send(): Promise<void> {
            try {
                for (const [batch, since] of waiting) {
                    if (performance.now() - since > GIVE_UP_MS) {
                        lose(batch);
                        continue;
                    }
                    await record(batch);
                    waiting.delete(batch);
                    isFailing = false;
                }
            } catch (error) {
                if (!isFailing) log.warn({ err: error }, 'the usage service takes no counts of requests; trying again');
                isFailing = true;
            }
        },
    };
}
