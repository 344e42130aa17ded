import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The program of all service processes. */
export const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
/** With this setting, a process ends when its launcher is gone. It also marks the processes of a launcher. */
export const EXIT_WITH_PARENT = { EXIT_WITH_PARENT: '1' };
/** The first and the longest wait before a restart, in milliseconds. The wait doubles with each restart. */
const BACKOFF_MS = { first: 100, most: 5000 };
/** After a process has run for this long (ms), its start counts as successful, and the wait is the first one again. */
const SETTLED_MS = 10_000;
/** How long a stop waits before it kills the process, in milliseconds: longer than the service's own drain. */
const DRAIN_TIMEOUT_MS = 15_000;

export interface RoleProcess {
    name: string;
    pid(): number | undefined;
    /** Stops the process in an orderly way and does not restart it. */
    stop(): Promise<void>;
    /** Ends the process at once and does not restart it. */
    kill(): void;
}

/**
 * Keeps a process of the service running: starts it again whenever it ends. Its standard input is a pipe, which closes
 * if this launcher is killed.
 */
export function keepRunning(options: {
    name: string;
    /** Starts the process with this standard input, output and error. */
    start(stdio: StdioOptions & unknown[]): ChildProcess;
    logFile: string;
    log(line: string): void;
    /** Called when the process has ended by itself. */
    onEnd?(): void;
}): RoleProcess {
    const { name, logFile, log } = options;
    let child: ChildProcess;
    let restart: NodeJS.Timeout | undefined;
    let wanted = true;
    let backoffMs = BACKOFF_MS.first;

    function launch(): void {
        const startedAt = performance.now();
        const output = openSync(logFile, 'a', 0o600);
        child = options.start(['pipe', output, output]);
        closeSync(output);
        child.stdin?.on('error', () => undefined); // the pipe breaks when the process ends
        child.once('exit', (code, signal) => {
            if (!wanted) return;
            options.onEnd?.();
            if (performance.now() - startedAt > SETTLED_MS) backoffMs = BACKOFF_MS.first;
            log(
                `${name} (pid ${child.pid}) ended (${signal ?? `exit code ${code}`}), starting it again in ${backoffMs} ms; see ${logFile}`,
            );
            restart = setTimeout(() => {
                launch();
                log(`${name} runs again (pid ${child.pid})`);
            }, backoffMs);
            backoffMs = Math.min(backoffMs * 2, BACKOFF_MS.most);
        });
    }

    function stopRestarting(): boolean {
        wanted = false;
        clearTimeout(restart);
        return child.exitCode === null && child.signalCode === null;
    }

    launch();
    return {
        name,
        pid: () => child.pid,
        stop: async () => {
            if (!stopRestarting()) return;
            const cut = setTimeout(() => child.kill('SIGKILL'), DRAIN_TIMEOUT_MS);
            child.kill('SIGTERM');
            await once(child, 'exit');
            clearTimeout(cut);
        },
        kill: () => {
            if (stopRestarting()) child.kill('SIGKILL');
        },
    };
}
