/** How often the queues are searched for calls that have ended, in milliseconds. */
const SWEEP_MS = 50;

/**
 * Removes the calls that have ended from one queue. `now` is `performance.now()`. Returns true if calls still wait in
 * it.
 */
type Sweep = (now: number) => boolean;

const sweeps = new Set<Sweep>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls `sweep` every 50 ms until it returns false. One timer serves all queues, so calls need no timers of their own.
 */
export function sweepWhileNeeded(sweep: Sweep): void {
    sweeps.add(sweep);
    timer ??= setInterval(sweepAll, SWEEP_MS).unref();
}

function sweepAll(): void {
    const now = performance.now();
    for (const sweep of sweeps) {
        if (!sweep(now)) sweeps.delete(sweep);
    }
    if (sweeps.size > 0) return;
    clearInterval(timer);
    timer = undefined;
}
