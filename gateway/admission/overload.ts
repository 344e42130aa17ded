import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Exchange } from '../http/exchange.ts';

/** Calls that may always be in progress: enough to keep the machine busy, and few enough to be answered soon. */
const ALWAYS = 256;
/** Maximum number of calls in progress, even during a burst. */
const NEVER = 8_192;
/** Length of one measurement, in milliseconds. */
const INTERVAL_MS = 50;
/** A queue that lasts less than this (ms) is a burst, and all of it is answered. */
const BURST_MS = 250;
/** Shedding ends after this long (ms) without a refusal or without a saturated event loop. */
const CALM_MS = 500;
/** The event loop counts as saturated from this utilization on. */
const BUSY = 0.9;

export interface Clock {
    /** In milliseconds. */
    now(): number;
    /** The event loop's utilization since the last call of busy(), from 0 to 1. */
    busy(): number;
}

export interface Overload {
    /** True if the call must be refused. */
    isFull(): boolean;
    /** The call is in progress from now on, or again. */
    enter(exchange: Exchange): void;
    /**
     * The call has ended, or its duration no longer shows how busy this process is: it waits for a password hash, a
     * slow sender or a slow reader.
     */
    leave(exchange: Exchange): void;
}

/**
 * Keeps the queue short when more calls come than can be answered, after CoDel (RFC 8289). A burst may wait. But if
 * more than ALWAYS calls were in progress during the whole of BURST_MS while the event loop was saturated, there is a
 * standing queue, and the limit becomes ALWAYS. Further calls are refused at once, which costs little, because nothing
 * has been done for them. A lower limit would not help: refused clients return at once, each turn of the event loop
 * then takes as long as its refusals, and a call takes several turns, so with fewer calls in progress the threads and
 * databases would wait for the refusals. A slow database causes no such queue: calls that wait for it are bounded where
 * they wait.
 */
export function overload(metrics: Metrics, clock: Clock = systemClock()): Overload {
    let under_way = 0;
    let bound = NEVER;
    let interval_began = clock.now();
    /** In this interval: the fewest calls in progress, and whether one was refused. */
    let fewest = 0;
    let has_refused = false;
    /** How long a queue has been standing or, while shedding, how long there has been none. */
    let lasting_ms = 0;

    metrics.gauge(
        'http_requests_under_way',
        'Calls in progress, without those that hash passwords or wait for their client.',
        () => under_way,
    );
    metrics.gauge('http_requests_bound', 'Maximum number of calls in progress at present.', () => bound);
    const refused = metrics.counter({
        name: 'http_requests_refused_total',
        help: 'Calls refused because the service was at capacity.',
        labels: [],
    });

    function update(elapsed_ms: number): void {
        const saturated = clock.busy() > BUSY;
        const is_refusing = bound === ALWAYS;
        const changes = is_refusing ? !(saturated && has_refused) : saturated && fewest > ALWAYS;
        lasting_ms = changes ? lasting_ms + elapsed_ms : 0;
        if (lasting_ms < (is_refusing ? CALM_MS : BURST_MS)) return;
        bound = is_refusing ? NEVER : ALWAYS;
        lasting_ms = 0;
    }

    /** Calls start and end often enough, so no timer is needed. */
    function judgeInTime(): void {
        const elapsed_ms = clock.now() - interval_began;
        if (elapsed_ms < INTERVAL_MS) return;
        interval_began += elapsed_ms;
        update(elapsed_ms);
        fewest = under_way;
        has_refused = false;
    }

    return {
        isFull() {
            judgeInTime();
            if (under_way < bound) return false;
            has_refused = true;
            refused.inc();
            return true;
        },
        enter(exchange) {
            under_way++;
            exchange.under_way = true;
        },
        leave(exchange) {
            if (!exchange.under_way) return;
            exchange.under_way = false;
            under_way--;
            fewest = Math.min(fewest, under_way);
            judgeInTime();
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
