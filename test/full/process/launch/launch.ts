import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { releasePort, reservePort } from '../../../../deploy/local/ports.ts';

export const CLONE = fileURLToPath(new URL('../../../..', import.meta.url));
const READY_TIMEOUT_MS = 180_000;
/** These tests register and log in many people. */
const CHEAP_PASSWORDS = { ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' };

export interface Launched {
    npm: ChildProcess;
    url: string;
    /** What it has written to the terminal so far. */
    output(): string;
    /** Sends a signal as Ctrl-C does: to npm and all that it started in the foreground. */
    signalGroup(signal: NodeJS.Signals): void;
    exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/**
 * Returns a path for a data folder. Its files and processes are removed after the test. The path has a blank and is too
 * long for a socket.
 */
export function temporaryDataDir(t: TestContext): string {
    const parent = mkdtempSync(join(tmpdir(), 'process-test-'));
    const dataDir = join(parent, 'a long way'.padEnd(100, '-'), 'data');
    t.after(() => {
        for (const { pid } of processesOf(dataDir)) {
            try {
                process.kill(pid, 'SIGKILL');
            } catch {
                // The process has ended by itself.
            }
        }
        rmSync(parent, { recursive: true, force: true });
    });
    return dataDir;
}

/** Runs `npm run <script>` as a user would in a terminal, without the settings of the surrounding test run. */
export function runNpm(t: TestContext, script: string, settings: Record<string, string>): Omit<Launched, 'url'> {
    t.signal.throwIfAborted(); // an aborted test continues to run, and would leave this process behind
    const kept = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TMPDIR'].flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
    });
    const npm = spawn('npm', ['run', script], {
        cwd: CLONE,
        detached: true, // a process group of its own, as a shell gives to each command
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...Object.fromEntries(kept), ...settings },
    });
    const signalGroup = (signal: NodeJS.Signals): boolean => process.kill(-(npm.pid ?? Number.NaN), signal);
    t.after(() => npm.exitCode === null && npm.signalCode === null && signalGroup('SIGKILL'));
    let output = '';
    for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
    return {
        npm,
        output: () => output,
        signalGroup,
        exit: once(npm, 'exit').then(([code, signal]) => ({ code, signal })),
    };
}

/** Starts a launcher and waits for its `ready` line. */
export async function launch(t: TestContext, script: string, settings: Record<string, string>): Promise<Launched> {
    const running = runNpm(t, script, { PORT: '0', ...CHEAP_PASSWORDS, ...settings });
    const url = await until(`${script} is ready`, () => {
        if (running.npm.exitCode !== null) throw new Error(`${script} ended:\n${running.output()}`);
        return /^ready (http:\S+)$/m.exec(running.output())?.[1];
    }).catch((error: Error) => {
        throw new Error(`${error.message}\n${running.output()}`);
    });
    return { ...running, url };
}

/** Returns the first value of `probe` that is neither undefined nor false. Throws after READY_TIMEOUT_MS. */
export async function until<T>(
    what: string,
    probe: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
    const deadline = performance.now() + READY_TIMEOUT_MS;
    for (;;) {
        const value = await probe();
        if (value !== undefined && value !== false) return value;
        if (performance.now() > deadline) throw new Error(`timed out waiting until ${what}`);
        await delay(50); // a look at all processes takes 8 ms
    }
}

/**
 * Running processes that name the folder in their command line or environment, or whose working directory is below it,
 * however they were started.
 */
export function processesOf(dataDir: string): Array<{ pid: number; command: string }> {
    return readdirSync('/proc').flatMap((name) => {
        const pid = Number(name);
        if (!Number.isInteger(pid)) return [];
        try {
            const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8');
            const command = read('cmdline').replaceAll('\0', ' ').trim();
            const texts = [command, read('environ'), readlinkSync(`/proc/${pid}/cwd`)];
            const zombie = /^State:\tZ/m.test(read('status'));
            return !zombie && texts.some((text) => text.includes(dataDir)) ? [{ pid, command }] : [];
        } catch {
            return []; // it ended meanwhile
        }
    });
}

/** The pid of the process of a folder whose command line matches. */
export function pidOf(dataDir: string, command: RegExp): number {
    const found = processesOf(dataDir).find((process) => command.test(process.command));
    if (found === undefined) throw new Error(`no process of ${dataDir} matches ${command}`);
    return found.pid;
}

/** `count` consecutive ports on which nothing listens, and which no other test gets. */
export async function freePorts(count: number): Promise<number[]> {
    for (;;) {
        // Outside the range that the launcher picks from and the range of outgoing connections.
        const first = randomInt(12_000, 19_000);
        const ports = Array.from({ length: count }, (_, index) => first + index);
        const reserved = await Promise.all(ports.map(reservePort));
        if (reserved.every(Boolean)) return ports;
        for (const port of ports.filter((_, index) => reserved[index])) releasePort(port);
    }
}

/** Begins a request whose body does not come. An orderly stop waits for it. */
export async function unfinishedRequest(url: string, dataDir: string): Promise<Socket> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const head = {
        Host: hostname,
        'X-Internal-Secret': readFileSync(`${dataDir}/internal-secret`, 'utf8').trim(),
        'Content-Type': 'application/json',
        'Content-Length': '10',
        Expect: '100-continue',
    };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /internal/v1/auth/login HTTP/1.1\r\n${lines.join('')}\r\n`);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1.1 100 /, 'the service waits for the body');
    return socket;
}
