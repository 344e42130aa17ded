import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from './problem.ts';

/** How long a start waits until its processes are ready, in milliseconds. */
const READY_TIMEOUT_MS = 60_000;
/** Time limit for an answer of a process, in milliseconds. It is shorter than the limit of the probes, which is 2 s. */
const ANSWER_MS = 1_500;

/** A process, by its name and the base URL of its operations port. */
export interface Watched {
    name: string;
    ops: string;
}

/**
 * Waits until all processes are ready. Throws Problem after a minute, and the reason of `signal` if it is aborted.
 */
export async function untilReady(processes: readonly Watched[], signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + READY_TIMEOUT_MS;
    for (let waiting = processes; ; await delay(50)) {
        signal.throwIfAborted();
        const answers = await Promise.all(waiting.map(({ ops }) => ask(`${ops}/readyz`)));
        signal.throwIfAborted(); // whoever aborts need not stop a process that becomes ready meanwhile
        waiting = waiting.filter((_, index) => !answers[index]?.ok);
        if (waiting.length === 0) return;
        if (performance.now() > deadline) {
            const names = waiting.map(({ name }) => name).join(', ');
            throw new Problem(`Not ready after ${READY_TIMEOUT_MS / 1000} s: ${names}. Their output is in DATA_DIR.`);
        }
    }
}

/** Returns what a process answers at its operations port, or undefined if it is starting, has ended or hangs. */
export async function ask(url: string): Promise<{ ok: boolean; text: string } | undefined> {
    try {
        const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
        return { ok: answer.ok, text: await answer.text() };
    } catch {
        return undefined;
    }
}
