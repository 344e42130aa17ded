import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** True if the process is alive. A zombie is not: it has ended, but its parent has not collected its exit code yet. */
export function isRunning(pid: number): boolean {
    try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        // The state follows the command name, which is in parentheses and may contain any character.
        return !'ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
    } catch {
        return false;
    }
}

/**
 * True if the process is alive and its working directory is this folder. Both database servers change into their data
 * folder, so this distinguishes an orphaned server from another process with a reused pid.
 */
export function worksIn(pid: number, folder: string): boolean {
    try {
        return isRunning(pid) && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
    } catch {
        return false;
    }
}

/** Returns the pids of all processes that `matches` accepts, among those whose environment this user may read. */
export function findProcesses(matches: (process: { pid: number; argv: string[]; env: string[] }) => boolean): number[] {
    const found: number[] = [];
    for (const name of readdirSync('/proc')) {
        const pid = Number(name);
        if (!Number.isInteger(pid) || pid === process.pid) continue;
        try {
            const [argv = [], env = []] = ['cmdline', 'environ'].map((file) =>
                readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0'),
            );
            if (isRunning(pid) && matches({ pid, argv, env })) found.push(pid);
        } catch {
            // The process has ended, or it belongs to another user.
        }
    }
    return found;
}

/** Waits until the process has ended. False if it is still running after `timeoutMs`. */
export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (isRunning(pid)) {
        if (performance.now() > deadline) return false;
        await delay(20);
    }
    return true;
}

/**
 * Sends a process the signal `gently` and, if it still runs after `timeoutMs`, `firmly`. Resolves when it has ended.
 */
export async function terminate(
    pid: number,
    how: { gently: NodeJS.Signals; timeoutMs: number; firmly: NodeJS.Signals },
): Promise<void> {
    signal(pid, how.gently);
    if (await waitUntilGone(pid, how.timeoutMs)) return;
    signal(pid, how.firmly);
    await waitUntilGone(pid, how.timeoutMs);
}

function signal(pid: number, name: NodeJS.Signals): void {
    try {
        process.kill(pid, name);
    } catch (error) {
        // ESRCH: the process has already ended.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // process.kill throws only system errors
    }
}
