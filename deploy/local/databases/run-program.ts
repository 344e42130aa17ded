import { execFile } from 'node:child_process';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';

interface RunOptions {
    /** Ends the program when aborted. */
    signal?: AbortSignal | undefined;
    env?: Record<string, string | undefined>;
    cwd?: string;
    timeout_ms: number;
}

/** Runs a program to its end and returns its standard output. Rejects with its standard error if it fails. */
export async function runProgram([program = '', ...args]: string[], options: RunOptions): Promise<string> {
    try {
        const { stdout } = await promisify(execFile)(program, args, {
            env: options.env ?? process.env,
            timeout: options.timeout_ms,
            ...(options.signal && { signal: options.signal }),
            ...(options.cwd && { cwd: options.cwd }),
            maxBuffer: 16 << 20,
        });
        return stdout;
    } catch (error) {
        const { stderr, message } = error as Error & { stderr?: string }; // execFile's own rejection
        throw new Error(`${basename(program)}: ${stderr?.trim() || message}`, { cause: error });
    }
}

/** The minimal environment of a database server. It contains none of the service's settings and secrets. */
export function bareEnvironment(more: Record<string, string> = {}): Record<string, string> {
    return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...more };
}

/** Opens a log file for a server's output. `written` returns the first 4 KiB of what the server has written since. */
export function openServerLog(file: string): { fd: number; close(): void; written(): string } {
    const fd = openSync(file, 'a', 0o600);
    const start = statSync(file).size;
    return {
        fd,
        close: () => closeSync(fd),
        written: () => {
            const reader = openSync(file, 'r');
            const buffer = Buffer.alloc(4096);
            const length = readSync(reader, buffer, 0, buffer.length, start);
            closeSync(reader);
            return buffer.toString('utf8', 0, length).trim();
        },
    };
}
