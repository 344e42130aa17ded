import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, waitUntilGone } from '../../../../deploy/local/processes.ts';
import type { Member } from '../../../support/members.ts';
import { isReady } from '../../../support/service.ts';
import { signalAll, until } from './proc.ts';

/** Longest time until a process is ready on a busy machine, in milliseconds. */
const START_MS = 180_000;
/** Longest time for a stop, in milliseconds. It is longer than the service's own cap. */
const STOP_MS = 15_000;

/** One process of the service. */
export interface Supervised {
    name: string;
    /** Its roles, joined by `+`. */
    role: string;
    /** host:port of its operations port. */
    ops: string;
    logFile: string;
    pid(): number;
    /** Number of times that it ended without being stopped from here. */
    crashes(): number;
    launch(): void;
    /** Sends a signal that should end the process. Resolves to its exit code or to the signal that ended it. */
    end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
    /** Resolves when it has ended by itself. */
    ended(): Promise<number | NodeJS.Signals>;
    ready(timeoutMs?: number): Promise<void>;
    isReady(): Promise<boolean>;
    /** Returns the sum of the values of a metric, or 0 if the process does not have it. */
    metric(name: string): Promise<number>;
    /** Adds environment variables for the next launch. */
    setEnvironment(more: Record<string, string>): void;
    /** Sets the flags of Node for the next launch. */
    setFlags(flags: readonly string[]): void;
    /** Leaves its output unread in a pipe, instead of writing it to a file, from the next launch on. */
    blockOutput(): void;
}

interface SuperviseOptions {
    member: Member;
    ops: string;
    env: Record<string, string>;
    logDir: string;
}

/**
 * Prepares one process of the service, without starting it. The process ends whenever this process ends, because its
 * standard input is a pipe from here. Each pid is recorded in the file `pids` of `logDir`.
 */
export function supervise(options: SuperviseOptions): Supervised {
    const { member, ops, logDir } = options;
    const logFile = join(logDir, `${member.name}.log`);
    let env = { ...options.env, ...member.env };
    let flags: readonly string[] = [];
    let isBlocked = false;
    let child: ChildProcess | undefined;
    let ending = false;
    let crashes = 0;

    const pid = (): number => child?.pid ?? 0;
    const readyNow = (): Promise<boolean> => isReady(ops);

    function launch(): void {
        ending = false;
        const started = spawnMember({ member, flags, env, logFile, isBlocked });
        started.once('exit', () => {
            if (!ending && child === started) crashes++;
        });
        child = started;
        appendFileSync(join(logDir, 'pids'), `${member.name} ${started.pid}\n`);
    }

    return {
        name: member.name,
        role: member.args.join('+'),
        ops,
        logFile,
        pid,
        crashes: () => crashes,
        launch,
        async end(signal) {
            ending = true;
            if (child) await stop(pid(), signal);
            return exitOf(child, member.name, STOP_MS);
        },
        ended: () => {
            ending = true;
            return exitOf(child, member.name, START_MS);
        },
        ready: (timeoutMs = START_MS) =>
            until(`${member.name} is ready`, timeoutMs, async () => {
                if (!isRunning(pid())) throw new Error(`${member.name} ended while it started: see ${logFile}.`);
                return readyNow();
            }),
        isReady: readyNow,
        metric: async (name) => sumOf(name, await (await fetch(`http://${ops}/metrics`)).text()),
        setEnvironment: (more) => {
            env = { ...env, ...more };
        },
        setFlags: (next) => {
            flags = next;
        },
        blockOutput: () => {
            isBlocked = true;
        },
    };
}

/** What a process of the service gets from the environment of the run. */
const INHERITED = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };

/** Starts the process with its output in `logFile`. If it is blocked, its standard output stays in a pipe, unread. */
function spawnMember(options: {
    member: Member;
    flags: readonly string[];
    env: Record<string, string>;
    logFile: string;
    isBlocked: boolean;
}): ChildProcess {
    const { member, flags, env, logFile, isBlocked } = options;
    const file = openSync(logFile, 'a');
    const output = isBlocked ? 'pipe' : file;
    const started = spawn(process.execPath, [...flags, 'main.ts', ...member.args], {
        stdio: ['pipe', output, file],
        env: { ...INHERITED, NODE_ENV: 'test', EXIT_WITH_PARENT: '1', ...env },
    });
    closeSync(file);
    started.stdin?.on('error', () => {}); // it closes when the process ends
    return started;
}

/** Sends the signal, and SIGKILL if that does not end the process. */
async function stop(pid: number, signal: NodeJS.Signals): Promise<void> {
    signalAll([pid], signal);
    if (!(await waitUntilGone(pid, STOP_MS))) signalAll([pid], 'SIGKILL');
}

/** Waits until the process has ended, if there is one. Resolves to its exit code or to the signal that ended it. */
async function exitOf(
    child: ChildProcess | undefined,
    name: string,
    timeoutMs: number,
): Promise<number | NodeJS.Signals> {
    if (!child) return 0;
    await until(`${name} has ended`, timeoutMs, () => child.exitCode !== null || child.signalCode !== null);
    return child.signalCode ?? child.exitCode ?? 0;
}

function sumOf(name: string, exposition: string): number {
    const lines = exposition.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
