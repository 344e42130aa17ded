import type { Metrics } from '../platform/metrics.ts';
import type { Exchange } from './exchange.ts';

/** So many calls may be under way whatever happens: enough to keep everything busy, and few enough to be answered soon. */
const ALWAYS = 256;
/** With more than so many under way no new one is taken, burst or not. */
const NEVER = 8_192;
/** What is looked at together, in milliseconds. */
const INTERVAL_MS = 50;
/** A queue that has stood for less than this is a burst, and is answered, in milliseconds. */
const BURST_MS = 250;
/** Nothing is refused any more once nothing had to be, or the event loop was not saturated, for so long, in milliseconds. */
const CALM_MS = 500;
/** From this part of its time on that it is busy, the event loop counts as saturated. */
const BUSY = 0.9;

export interface Clock {
    /** In milliseconds. */
    now(): number;
    /** The part of the time since it was last asked that the event loop was busy. */
    busy(): number;
}

export interface Overload {
    /** Whether one more call is too many, and refused. */
    isFull(): boolean;
    /** The call is under way from now on, or again. */
    enter(exchange: Exchange): void;
    /**
     * The call is over, or says nothing more of how busy this process is: it waits for a password to be hashed, for a slow
     * sender or for a slow reader.
     */
    leave(exchange: Exchange): void;
}

/**
 * Keeps the queue short when more comes than can be answered, after CoDel (RFC 8289): a burst may wait, but where more than ALWAYS
 * calls were under way for the whole of BURST_MS, while the event loop was saturated, there is a standing queue, and it is cut to
 * ALWAYS. What comes on top is refused while that is cheap: before anything has been done for it. The cut is not finer: a refused
 * client comes again at once, each turn of the event loop then takes as long as its refusals, and a call takes some turns; with
 * fewer under way the threads and databases would wait for the refusals. A database that has become slow is no such queue:
 * what waits for it is bounded where it waits.
 */
export function overload(metrics: Metrics, clock: Clock = systemClock()): Overload {
    let under_way = 0;
    let bound = NEVER;
    let interval_began = clock.now();
    /** Of this interval: the fewest calls that were under way, and whether one was refused. */
    let fewest = 0;
    let has_refused = false;
    /** For so long a queue has been standing, or none has. */
    let lasting_ms = 0;

    metrics.gauge(
        'http_requests_under_way',
        'Calls that are being answered, without those that hash or wait for their client.',
        () => under_way,
    );
    metrics.gauge('http_requests_bound', 'How many of them there may be.', () => bound);
    const refused = metrics.counter({
        name: 'http_requests_refused_total',
        help: 'Calls refused because more came than could be answered.',
        labels: [],
    });

    function judge(elapsed_ms: number): void {
        const saturated = clock.busy() > BUSY;
        const is_refusing = bound === ALWAYS;
        const changes = is_refusing ? !(saturated && has_refused) : saturated && fewest > ALWAYS;
        lasting_ms = changes ? lasting_ms + elapsed_ms : 0;
        if (lasting_ms < (is_refusing ? CALM_MS : BURST_MS)) return;
        bound = is_refusing ? NEVER : ALWAYS;
        lasting_ms = 0;
    }

    /** Calls come and go often enough to need no timer. */
    function judgeInTime(): void {
        const elapsed_ms = clock.now() - interval_began;
        if (elapsed_ms < INTERVAL_MS) return;
        interval_began += elapsed_ms;
        judge(elapsed_ms);
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
