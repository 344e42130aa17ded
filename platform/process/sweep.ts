/** How often everything that waits is searched for calls that have ended, in milliseconds. */
const SWEEP_MS = 50;

/** Checks what waits in one place, at `now` of `performance.now()`. Returns true if something still waits there. */
type Sweep = (now: number) => boolean;

const sweeps = new Set<Sweep>();
let timer: NodeJS.Timeout | undefined;

/** Calls `sweep` every 50 ms until it returns false. One timer serves all queues of the process; calls set none. */
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
