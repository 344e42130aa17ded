/**
 * Work that is done in small parts, one part in each turn of the event loop, so that it keeps nobody waiting. Node accepts
 * only one connection in a turn. While connections arrive, a turn therefore does no work: if each turn took its full
 * time, hundreds of new clients would wait for seconds.
 */

/** How long work may wait while every turn accepts a connection, in milliseconds. */
const ACCEPTING_MS = 20;

/** After work that took longer (ms), as parsing a large body does, none is done for the same time. */
const REST_AFTER_MS = 5;

/** What is called in each turn, until it returns false. */
type Work = () => boolean;

const waiting = new Set<Work>();
let isScheduled = false;
/** Whether this turn has accepted a connection, and `performance.now()` when a turn last worked. */
let hasAccepted = false;
let worked_at = 0;
/** Until then no work is done: what is under way elsewhere goes on. */
let rest_until = 0;

/** Calls `work` in each of the next turns of the event loop, until it returns false. */
export function eachTurn(work: Work): void {
    waiting.add(work);
    schedule();
}

/** Must be called for each connection that is accepted from outside. */
export function connectionAccepted(): void {
    hasAccepted = true;
}

/** Does no work for this time (ms). */
export function rest(duration_ms: number): void {
    rest_until = Math.max(rest_until, performance.now() + duration_ms);
}

function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    const rest_ms = rest_until - performance.now();
    // A timer, so that other threads and processes have the processor meanwhile.
    if (rest_ms > 1) setTimeout(runTurn, rest_ms);
    else setImmediate(runTurn);
}

function runTurn(): void {
    isScheduled = false;
    const now = performance.now();
    const isAccepting = hasAccepted && now - worked_at < ACCEPTING_MS;
    hasAccepted = false;
    try {
        if (!isAccepting && now >= rest_until) doWork(now);
    } finally {
        if (waiting.size > 0) schedule(); // even if one of them has thrown: the others wait for their turn
    }
}

function doWork(began: number): void {
    for (const work of Array.from(waiting)) if (!work()) waiting.delete(work);
    worked_at = performance.now();
    if (worked_at - began > REST_AFTER_MS) rest(worked_at - began);
}
