import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, waitUntilGone } from '../../../deploy/local/processes.ts';
import { isReady, type Member } from '../../support/service.ts';
import { signalAll, until } from './proc.ts';

/** How long a process may take until it is ready, on a machine that has much else to do, in milliseconds. */
const START_MS = 180_000;
/** Beyond the service's own cap on a stop. */
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
    /** How often it has ended without being told to. */
    crashes(): number;
    launch(): void;
    /** Sends a signal, which is meant to end it, and resolves with its exit code or the signal that ended it. */
    end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
    /** Resolves when it has ended by itself. */
    ended(): Promise<number | NodeJS.Signals>;
    ready(patienceMs?: number): Promise<void>;
    isReady(): Promise<boolean>;
    /** The sum of the values of a metric; 0 where the process does not have it. */
    metric(name: string): Promise<number>;
    /** For the next launch. */
    setEnvironment(more: Record<string, string>): void;
    /** Node's flags, for the next launch. */
    setFlags(flags: readonly string[]): void;
    /** Leaves its output unread in a pipe, instead of writing it to a file, from the next launch on. */
    blockOutput(): void;
}

/**
 * One process of the service, not started yet. It ends when this process ends, however that happens: its standard input
 * is a pipe from here. Each pid is recorded in the file `pids` of `logDir`.
 */
export function supervise(options: {
    member: Member;
    ops: string;
    env: Record<string, string>;
    logDir: string;
}): Supervised {
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
        const file = openSync(logFile, 'a');
        const output = isBlocked ? 'pipe' : file;
        ending = false;
        const started = spawn(process.execPath, [...flags, 'main.ts', ...member.args], {
            stdio: ['pipe', output, file],
            env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'test', EXIT_WITH_PARENT: '1', ...env },
        });
        closeSync(file);
        started.stdin?.on('error', () => {}); // it closes when the process ends
        started.once('exit', () => {
            if (!ending && child === started) crashes++;
        });
        child = started;
        appendFileSync(join(logDir, 'pids'), `${member.name} ${started.pid}\n`);
    }

    async function ended(patienceMs: number): Promise<number | NodeJS.Signals> {
        const awaited = child;
        if (!awaited) return 0;
        const isOver = (): boolean => awaited.exitCode !== null || awaited.signalCode !== null;
        await until(`${member.name} has ended`, patienceMs, isOver);
        return awaited.signalCode ?? awaited.exitCode ?? 0;
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
            if (!child) return 0;
            signalAll([pid()], signal);
            if (!(await waitUntilGone(pid(), STOP_MS))) signalAll([pid()], 'SIGKILL');
            return ended(STOP_MS);
        },
        ended: () => {
            ending = true;
            return ended(START_MS);
        },
        ready: (patienceMs = START_MS) =>
            until(`${member.name} is ready`, patienceMs, async () => {
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

function sumOf(name: string, exposition: string): number {
    const lines = exposition.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
