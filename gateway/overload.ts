import type { Metrics } from '../platform/metrics.ts';
import type { Exchange } from './exchange.ts';

/** So many calls may be under way however long they take. */
const ALWAYS = 64;
/** More than so many never are. */
const NEVER = 8_192;
/** How long calls may wait for one another, on top of what one takes alone, in milliseconds. */
const WAIT_MS = 10;
/** What is looked at together, in milliseconds. */
const INTERVAL_MS = 100;
/** A queue that has stood no longer than this is a burst, and is answered, in milliseconds. */
const BURST_MS = 2_000;
/** What the bound grows by in an interval without a standing queue. */
const GROWTH = 1.25;
/** How fast it is forgotten what a call takes alone: in a minute of intervals it doubles. */
const FORGETTING = 1.001;
/** From this part of its time on that it is busy, the event loop counts as saturated. */
const BUSY = 0.9;

export interface Clock {
    /** In milliseconds. */
    now(): number;
    /** The part of the time since it was last asked that the event loop was busy. */
    busy(): number;
}

export interface Overload {
    /** Whether one more call may begin; it is under way from then on. */
    enter(exchange: Exchange): boolean;
    /**
     * The call is over, after so many milliseconds; without them, it goes on and says nothing more of how busy this process is:
     * it waits for a password to be hashed or for a slow reader.
     */
    leave(exchange: Exchange, took_ms?: number): void;
}

/**
 * Keeps the queue short when more comes than can be answered, after CoDel (RFC 8289): a burst may wait, but where even the
 * fastest call of a whole interval had to, while the event loop was saturated, there is a standing queue, and it is cut to what is
 * answered in time (Little's law). What comes on top is refused while that is cheap: before anything has been done for it.
 * A database that has become slow is no such queue: what waits for it is bounded where it waits.
 */
export function overload(metrics: Metrics, clock: Clock = systemClock()): Overload {
    let under_way = 0;
    let bound = NEVER;
    /** For so long a queue has been standing. */
    let standing_ms = 0;
    let interval_began = clock.now();
    let answered = 0;
    let fastest_ms = Number.POSITIVE_INFINITY;
    /** What a call takes that waits for no other. */
    let alone_ms = Number.POSITIVE_INFINITY;

    metrics.gauge(
        'http_requests_under_way',
        'Calls that are being answered, without those that hash.',
        () => under_way,
    );
    metrics.gauge('http_requests_bound', 'How many of them there may be.', () => bound);
    const refused = metrics.counter({
        name: 'http_requests_refused_total',
        help: 'Calls refused because more came than could be answered.',
        labels: [],
    });

    function judge(elapsed_ms: number): void {
        alone_ms = Math.min(fastest_ms, alone_ms * FORGETTING);
        const target_ms = alone_ms + WAIT_MS;
        const saturated = clock.busy() > BUSY;
        standing_ms = saturated && fastest_ms > target_ms ? standing_ms + elapsed_ms : 0;
        if (standing_ms === 0) bound = Math.min(NEVER, Math.ceil(bound * GROWTH));
        else if (standing_ms > BURST_MS) bound = Math.max(ALWAYS, Math.ceil((answered / elapsed_ms) * target_ms));
        answered = 0;
        fastest_ms = Number.POSITIVE_INFINITY;
    }

    return {
        enter(exchange) {
            if (under_way === 0) bound = NEVER; // nothing stands in the queue
            if (under_way >= bound) {
                refused.inc();
                return false;
            }
            under_way++;
            exchange.under_way = true;
            return true;
        },
        leave(exchange, took_ms) {
            if (!exchange.under_way) return;
            exchange.under_way = false;
            under_way--;
            if (took_ms === undefined) return;
            answered++;
            fastest_ms = Math.min(fastest_ms, took_ms);
            const elapsed_ms = clock.now() - interval_began;
            if (elapsed_ms < INTERVAL_MS) return;
            interval_began += elapsed_ms;
            judge(elapsed_ms);
        },
    };
}

function systemClock(): Clock {
    let last = performance.eventLoopUtilization();
    return {
        now: () => performance.now(),
        busy() {
            const current = performance.eventLoopUtilization();
            const { utilization } = performance.eventLoopUtilization(current, last);
            last = current;
            return utilization;
        },
    };
}
