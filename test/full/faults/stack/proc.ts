import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { findProcesses, isRunning, worksIn } from '../../../../deploy/local/processes.ts';

/** Returns the pids of all processes that work in this folder, such as a database server with its children. */
export function processesIn(folder: string): number[] {
    return findProcesses(({ pid }) => worksIn(pid, folder));
}

/** Sends a signal to each process. Skips those that have ended. */
export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
    for (const pid of pids) {
        try {
            process.kill(pid, name);
        } catch {
            // The process has ended.
        }
    }
}

/** Returns the resident memory of a process in MiB, or 0 if it does not run. */
export function residentMiB(pid: number): number {
    if (!isRunning(pid)) return 0;
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
}

/** Resolves when `probe` returns true. Rejects after `timeoutMs`, with `what` in the message. */
export async function until(what: string, timeoutMs: number, probe: () => boolean | Promise<boolean>): Promise<void> {
    const giveUp = performance.now() + timeoutMs;
    while (!(await probe())) {
        if (performance.now() > giveUp) throw new Error(`Timed out while waiting until ${what}.`);
        await delay(20);
    }
}
