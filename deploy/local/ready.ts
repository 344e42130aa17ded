import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from './problem.ts';

/** How long a start waits until its processes are ready, in milliseconds. */
const READY_TIMEOUT_MS = 60_000;
/** Time limit for one question, in milliseconds. */
const ANSWER_MS = 2_000;

/** A process, by its name and the base URL of its operations port. */
export interface Watched {
    name: string;
    ops: string;
}

/** Waits until all processes are ready. Throws Problem after a minute. */
export async function untilReady(processes: readonly Watched[], stopping: AbortSignal): Promise<void> {
    const deadline = performance.now() + READY_TIMEOUT_MS;
    for (let waiting = processes; ; await delay(50, undefined, { signal: stopping })) {
        const ready = await Promise.all(waiting.map(isReady));
        waiting = waiting.filter((_, index) => !ready[index]);
        if (waiting.length === 0) return;
        if (performance.now() > deadline) {
            const names = waiting.map(({ name }) => name).join(', ');
            throw new Problem(`Not ready after ${READY_TIMEOUT_MS / 1000} s: ${names}. Their logs are in DATA_DIR.`);
        }
    }
}

export async function isReady({ ops }: Watched): Promise<boolean> {
    try {
        const answer = await fetch(`${ops}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) });
        await answer.body?.cancel();
        return answer.ok;
    } catch {
        return false; // it is not listening yet
    }
}
