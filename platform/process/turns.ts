/** Runs work in small parts, one part in each turn of the event loop, so that it does not block other work. */

/**
 * Time of one turn that may be spent on work such as parsing a large body, in milliseconds. Beyond it: such work pauses
 * for as long as it took.
 */
const REST_AFTER_MS = 5;

/** Does one part of the work. Returns false when there is no more to do. */
type Work = () => boolean;

const waiting = new Set<Work>();
let isScheduled = false;
/** No work is done before this time (`performance.now()`), so that other events are processed. */
let restUntil = 0;

/** Calls `work` in each of the next turns of the event loop, until it returns false. */
export function eachTurn(work: Work): void {
    waiting.add(work);
    schedule();
}

/** Does all of the work in one of the next turns. */
export function inTurn<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve) => {
        eachTurn(() => {
            resolve((async () => work())()); // rejects if it throws
            return false;
        });
    });
}

/** Returns a function that does pieces of work in their order, but at most `perTurn` in a turn of the event loop. */
export function workInTurns(perTurn: number): (piece: () => void) => void {
    const pieces: Array<() => void> = [];
    function nextTurn(): boolean {
        for (let done = 0; done < perTurn; done++) pieces.shift()?.();
        return pieces.length > 0;
    }
    return (piece) => {
        pieces.push(piece);
        eachTurn(nextTurn);
    };
}

function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    const restMs = restUntil - performance.now();
    // A timer leaves the processor to other threads and processes for this time.
    if (restMs > 1) setTimeout(runTurn, restMs);
    else setImmediate(runTurn);
}

function runTurn(): void {
    isScheduled = false;
    const now = performance.now();
    try {
        if (now >= restUntil) doWork(now);
    } finally {
        if (waiting.size > 0) schedule(); // even if some work has thrown: the rest still needs its turn
    }
}

function doWork(began: number): void {
    for (const work of Array.from(waiting)) if (!work()) waiting.delete(work);
    const now = performance.now();
    if (now - began > REST_AFTER_MS) restUntil = now + (now - began);
}
