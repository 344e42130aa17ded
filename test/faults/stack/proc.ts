import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { findProcesses, isRunning, worksIn } from '../../../deploy/local/processes.ts';

/** Pids of all processes that work in this folder: a database server with all its children. */
export function processesIn(folder: string): number[] {
    return findProcesses(({ pid }) => worksIn(pid, folder));
}

/** Sends a signal to each; those that have ended meanwhile are left out. */
export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
    for (const pid of pids) {
        try {
            process.kill(pid, name);
        } catch {
            // It ended by itself.
        }
    }
}

/** Memory that the process has resident, in MiB; 0 where it does not run. */
export function residentMiB(pid: number): number {
    if (!isRunning(pid)) return 0;
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
}

/** Resolves when `probe` is true; rejects, naming `what`, when it is not within `patienceMs`. */
export async function until(what: string, patienceMs: number, probe: () => boolean | Promise<boolean>): Promise<void> {
    const giveUp = performance.now() + patienceMs;
    while (!(await probe())) {
        if (performance.now() > giveUp) throw new Error(`It never came true that ${what}.`);
        await delay(20);
    }
}
