import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Exchange } from '../http/exchange.ts';

/**
 * Calls that may always be in progress: enough to keep the machine busy, and few enough to be answered soon. Calls that
 * hash a password or wait for their client do not count. Beyond it: 503 before any work, while the gateway sheds load.
 */
const MIN_BOUND = 256;
/** Maximum number of calls in progress, even during a burst. Beyond it: 503 before any work. */
const MAX_BOUND = 8_192;
/** Length of one measurement, in milliseconds. */
const INTERVAL_MS = 50;
/** A queue that lasts less than this (ms) is a burst, and all of it is answered. */
const BURST_MS = 250;
/** Shedding ends after this long (ms) without a refusal or without a saturated event loop. */
const CALM_MS = 500;
/** Number of items of a batch that count as one call: together they cost the event loop about as much. */
const ITEMS_OF_A_CALL = 32;
/** The event loop counts as saturated from this utilization on. */
const BUSY = 0.9;

interface Clock {
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
    /** From now on, the call counts as one call for every ITEMS_OF_A_CALL items, if it is in progress. */
    weigh(exchange: Exchange, items: number): void;
    /**
     * The call has ended, or its duration no longer shows how busy this process is: it waits for a password hash, a
     * slow sender or a slow reader.
     */
    leave(exchange: Exchange): void;
}

/**
 * Keeps the queue short when more calls come than can be answered, after CoDel (RFC 8289). A burst may wait. But if
 * more than MIN_BOUND calls were in progress during the whole of BURST_MS while the event loop was saturated, there is
 * a standing queue, and the bound becomes MIN_BOUND. Further calls are refused at once, which costs little, because
 * nothing has been done for them. A lower bound would leave threads and databases idle: refused clients return at once,
 * and their refusals fill the turns of the event loop that admitted calls need. A slow database causes no such queue:
 * calls that wait for it are bounded where they wait.
 */
export function overload(metrics: Metrics, clock: Clock = systemClock()): Overload {
    const bound = adaptiveBound(clock);
    let underWay = 0;
    let intervalBegan = clock.now();
    /** In this interval: the fewest calls in progress, and whether a call was refused. */
    let fewest = 0;
    let hasRefused = false;

    const countRefusal = exposeOverload(metrics, { underWay: () => underWay, bound: bound.current });

    /** Calls start and end often enough, so no timer is needed. */
    function measureInTime(): void {
        const elapsedMs = clock.now() - intervalBegan;
        if (elapsedMs < INTERVAL_MS) return;
        intervalBegan += elapsedMs;
        bound.update(elapsedMs, { fewest, hasRefused });
        fewest = underWay;
        hasRefused = false;
    }

    return {
        isFull() {
            measureInTime();
            if (underWay < bound.current()) return false;
            hasRefused = true;
            countRefusal();
            return true;
        },
        enter(exchange) {
            underWay++;
            exchange.underWay = 1;
        },
        weigh(exchange, items) {
            if (exchange.underWay === 0) return;
            const calls = Math.ceil(items / ITEMS_OF_A_CALL);
            underWay += calls - exchange.underWay;
            exchange.underWay = calls;
        },
        leave(exchange) {
            if (exchange.underWay === 0) return;
            underWay -= exchange.underWay;
            exchange.underWay = 0;
            fewest = Math.min(fewest, underWay);
            measureInTime();
        },
    };
}

/** The maximum number of calls in progress: MIN_BOUND while requests are shed, MAX_BOUND otherwise. */
function adaptiveBound(clock: Clock) {
    let bound = MAX_BOUND;
    /** How long a queue has been standing or, while shedding, how long there has been none. */
    let lastingMs = 0;
    return {
        current: () => bound,
        update(elapsedMs: number, { fewest, hasRefused }: { fewest: number; hasRefused: boolean }): void {
            const saturated = clock.busy() > BUSY;
            const isShedding = bound === MIN_BOUND;
            const mayChange = isShedding ? !(saturated && hasRefused) : saturated && fewest > MIN_BOUND;
            lastingMs = mayChange ? lastingMs + elapsedMs : 0;
            if (lastingMs < (isShedding ? CALM_MS : BURST_MS)) return;
            bound = isShedding ? MAX_BOUND : MIN_BOUND;
            lastingMs = 0;
        },
    };
}

/** Registers the metrics. Returns a function that counts a refusal. */
function exposeOverload(metrics: Metrics, read: { underWay(): number; bound(): number }): () => void {
    metrics.gauge(
        'http_requests_under_way',
        'Calls in progress, without those that hash passwords or wait for their client.',
        read.underWay,
    );
    metrics.gauge('http_requests_bound', 'Maximum number of calls in progress at present.', read.bound);
    const refused = metrics.counter({
        name: 'http_requests_refused_total',
        help: 'Calls refused because the service was at capacity.',
        labels: [],
    });
    return () => refused.inc();
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
