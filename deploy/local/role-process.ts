import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../platform/process/config.ts';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
const BACKOFF_MS = { first: 100, most: 5000 };
/** A process that lived this long (ms) did not fail at its start: its next restart waits the shortest time again. */
const SETTLED_MS = 10_000;
/** Longer than the service's own time limit for a drain. */
const DRAIN_PATIENCE_MS = 15_000;

export interface RoleProcess {
    name: string;
    pid(): number | undefined;
    /** Stops it in an orderly way and does not restart it. */
    stop(): Promise<void>;
    /** Ends it at once and does not restart it. */
    kill(): void;
}

/**
 * Runs one role in its own process and restarts it whenever it ends. The process has its own session, so that Ctrl-C
 * reaches it only through `stop`. Its standard input is a pipe that closes if this launcher is killed.
 */
export function keepRunning(options: {
    name: string;
    role: string;
    env: Environment;
    log_file: string;
    log(line: string): void;
}): RoleProcess {
    const { name, role, env, log_file, log } = options;
    let child: ChildProcess;
    let restart: NodeJS.Timeout | undefined;
    let wanted = true;
    let backoff_ms = BACKOFF_MS.first;

    function launch(): void {
        const started_at = performance.now();
        const output = openSync(log_file, 'a', 0o600);
        child = spawn(process.execPath, [...process.execArgv, MAIN, role], {
            detached: true,
            stdio: ['pipe', output, output],
            env: { ...env, EXIT_WITH_PARENT: '1' },
        });
        closeSync(output);
        child.stdin?.on('error', () => undefined); // it closes when the process ends
        child.once('exit', (code, signal) => {
            if (!wanted) return;
            if (performance.now() - started_at > SETTLED_MS) backoff_ms = BACKOFF_MS.first;
            log(
                `${name} (pid ${child.pid}) ended (${signal ?? `exit code ${code}`}), starting it again in ${backoff_ms} ms; see ${log_file}`,
            );
            restart = setTimeout(() => {
                launch();
                log(`${name} runs again (pid ${child.pid})`);
            }, backoff_ms);
            backoff_ms = Math.min(backoff_ms * 2, BACKOFF_MS.most);
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
            const cut = setTimeout(() => child.kill('SIGKILL'), DRAIN_PATIENCE_MS);
            child.kill('SIGTERM');
            await once(child, 'exit');
            clearTimeout(cut);
        },
        kill: () => {
            if (stopRestarting()) child.kill('SIGKILL');
        },
    };
}
