import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** True if the process is alive. A zombie is not: its parent has only not collected its exit code yet. */
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
 * True if the process is alive and works in this folder. Both database servers change into their data folder, so this
 * distinguishes an orphan from another process with a reused pid.
 */
export function worksIn(pid: number, folder: string): boolean {
    try {
        return isRunning(pid) && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
    } catch {
        return false;
    }
}

/** Pids of all processes whose environment and command line this user may read and that `matches` accepts. */
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
            // It has ended, or it belongs to another user.
        }
    }
    return found;
}

/** True if the process ended within `patience_ms`. */
export async function waitUntilGone(pid: number, patience_ms: number): Promise<boolean> {
    const deadline = performance.now() + patience_ms;
    while (isRunning(pid)) {
        if (performance.now() > deadline) return false;
        await delay(20);
    }
    return true;
}

/** Ends a process with SIGTERM, and after `patience_ms` with SIGKILL. Resolves when it has ended. */
export async function terminate(
    pid: number,
    how: { gently: NodeJS.Signals; patience_ms: number; firmly: NodeJS.Signals },
): Promise<void> {
    signal(pid, how.gently);
    if (await waitUntilGone(pid, how.patience_ms)) return;
    signal(pid, how.firmly);
    await waitUntilGone(pid, how.patience_ms);
}

function signal(pid: number, name: NodeJS.Signals): void {
    try {
        process.kill(pid, name);
    } catch (error) {
        // It has ended already.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // process.kill throws only system errors
    }
}
