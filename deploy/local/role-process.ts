import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HUNG_MS, untilHung } from './ready.ts';

/** The program of all service processes. */
export const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
/** With this setting, a process leaves its end to its launcher. It also marks the processes of a launcher. */
export const EXIT_WITH_PARENT = { EXIT_WITH_PARENT: '1' };
/** The first and the longest wait before a restart, in milliseconds. The wait doubles with each restart. */
const BACKOFF_MS = { first: 100, most: 5000 };
/** After a process has run for this long (ms), its start counts as successful, and the wait is the first one again. */
const SETTLED_MS = 10_000;
/** How long a stop waits before it kills the process, in milliseconds: longer than the service's own drain. */
const DRAIN_TIMEOUT_MS = 15_000;

/** A process of the service, with one role or all of them. */
export interface RoleProcess {
    name: string;
    pid(): number | undefined;
    /** Stops the process in an orderly way and does not restart it. */
    stop(): Promise<void>;
    /** Ends the process at once and does not restart it. */
    kill(): void;
}

interface KeepOptions {
    name: string;
    /** The base URL of its operations port. */
    ops: string;
    /** Starts the process with this standard input, output and error. */
    start(stdio: StdioOptions & unknown[]): ChildProcess;
    /** The file to which its standard output and error are appended. */
    outputFile: string;
    log(line: string): void;
    /** Aborted when the launcher stops: from then on the process may end. */
    stopping: AbortSignal;
    /** Called when the process has ended by itself, and why. */
    onEnd?(reason: string): void;
}

/**
 * Keeps a process of the service running: starts it again whenever it ends, and kills it if it hangs. Its standard input
 * is a pipe, which closes if this launcher is killed.
 */
export function keepRunning({ name, ops, start, outputFile, log, stopping, onEnd }: KeepOptions): RoleProcess {
    let restart: NodeJS.Timeout | undefined;
    const unwanted = new AbortController();
    let backoffMs = BACKOFF_MS.first;
    let current = launchWatched();

    function launchWatched(): Launched {
        const launched = launch(start, outputFile, endedByItself);
        const { child, ended } = launched;
        const over = AbortSignal.any([ended, unwanted.signal, stopping]);
        void untilHung(ops, over).then((hangs) => {
            if (!hangs) return;
            log(`${name} (pid ${child.pid}) has not answered for ${HUNG_MS / 1_000} s, killing it`);
            child.kill('SIGKILL');
        });
        return launched;
    }

    function endedByItself(reason: string, afterMs: number): void {
        if (unwanted.signal.aborted || stopping.aborted) return;
        if (afterMs > SETTLED_MS) backoffMs = BACKOFF_MS.first;
        const ended = `${name} (pid ${current.child.pid}) ended (${reason})`;
        log(`${ended}, starting it again in ${backoffMs} ms; see ${outputFile}`);
        onEnd?.(reason);
        restart = setTimeout(startAgain, backoffMs);
        backoffMs = Math.min(backoffMs * 2, BACKOFF_MS.most);
    }

    function startAgain(): void {
        try {
            current = launchWatched();
            log(`${name} runs again (pid ${current.child.pid})`);
        } catch (error) {
            endedByItself(String(error), 0); // the machine has no file descriptor left, for example
        }
    }

    function stopRestarting(): void {
        unwanted.abort();
        clearTimeout(restart);
    }

    return {
        name,
        pid: () => current.child.pid,
        stop: async () => {
            stopRestarting();
            const { child, ended } = current;
            const cut = setTimeout(() => child.kill('SIGKILL'), DRAIN_TIMEOUT_MS);
            child.kill('SIGTERM');
            if (!ended.aborted) await once(ended, 'abort');
            clearTimeout(cut);
        },
        kill: () => {
            stopRestarting();
            current.child.kill('SIGKILL');
        },
    };
}

interface Launched {
    child: ChildProcess;
    /** Aborted when it has ended, or could not be started. */
    ended: AbortSignal;
}

/** Starts the process once. */
function launch(
    start: KeepOptions['start'],
    outputFile: string,
    onEnd: (reason: string, afterMs: number) => void,
): Launched {
    const startedAt = performance.now();
    const output = openSync(outputFile, 'a', 0o600);
    const child = start(['pipe', output, output]);
    closeSync(output);
    child.stdin?.on('error', () => undefined); // the pipe breaks when the process ends
    const ended = new AbortController();
    const end = (reason: string): void => {
        ended.abort();
        onEnd(reason, performance.now() - startedAt);
    };
    child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
    child.on('error', (error) => {
        if (child.pid === undefined) end(error.message); // it was not started, so there will be no 'exit'
    });
    return { child, ended: ended.signal };
}
