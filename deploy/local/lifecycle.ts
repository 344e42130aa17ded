import { once } from 'node:events';
import { ConfigError } from '../../platform/process/config.ts';
import { Problem } from './problem.ts';

/**
 * Signals closer together than this (ms) are one request to stop: Ctrl-C arrives from the terminal and again from npm.
 */
const ONE_REQUEST_MS = 1000;
const PARENT_CHECK_MS = 100;

export interface Lifecycle {
    /** Aborted by the first request to stop. */
    stopping: AbortSignal;
    /** Aborted by a second request: from now on only the databases are awaited. */
    forced: AbortSignal;
    /** Registers something that must be stopped at the end. The last one is stopped first. */
    defer(stop: () => Promise<void>): void;
}

/**
 * Runs `start`, waits for SIGTERM, SIGINT or SIGHUP, stops everything that was deferred, and exits: with 0 after an
 * orderly stop, with 1 after a failure or a second request to stop.
 */
export async function runUntilStopped(start: (lifecycle: Lifecycle) => Promise<void>): Promise<never> {
    const stops: Array<() => Promise<void>> = [];
    let failed = false;
    const fail = (error: unknown): void => {
        failed = true;
        console.error(error instanceof Problem || error instanceof ConfigError ? error.message : error);
    };
    const { stopping, forced } = listenForStops(fail);
    try {
        await start({ stopping, forced, defer: (stop) => stops.push(stop) });
        if (!stopping.aborted) await once(stopping, 'abort');
    } catch (error) {
        // An interrupted start fails wherever it was.
        if (!stopping.aborted) fail(error);
    }
    for (const stop of stops.reverse()) await stop().catch(fail);
    if (!failed && !forced.aborted) console.log('Stopped.');
    process.exit(failed || forced.aborted ? 1 : 0);
}

/** The result of `work`, or a rejection as soon as `signal` is aborted. The work itself continues in the background. */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const done = new AbortController();
    try {
        const aborted = once(signal, 'abort', { signal: done.signal }).then(() => Promise.reject(signal.reason));
        return await Promise.race([work(), aborted]);
    } finally {
        done.abort();
    }
}

function listenForStops(fail: (error: unknown) => void): { stopping: AbortSignal; forced: AbortSignal } {
    const stopping = new AbortController();
    const forced = new AbortController();
    let asked_at = 0;
    const ask = (reason: string): void => {
        if (!stopping.signal.aborted) {
            asked_at = performance.now();
            console.log(`\nStopping (${reason}) ...`);
            stopping.abort();
        } else if (performance.now() - asked_at > ONE_REQUEST_MS && !forced.signal.aborted) {
            console.log(`Stopping at once (${reason}) ...`);
            forced.abort();
        }
    };
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, ask);
    process.on('uncaughtException', (error) => {
        fail(error);
        ask('it failed');
    });
    // The last messages must not fail when the terminal is gone.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    followNpm(ask);
    return { stopping: stopping.signal, forced: forced.signal };
}

/** If npm started this process, npm's death (it cannot pass on SIGKILL) is a request to stop. */
function followNpm(ask: (reason: string) => void): void {
    if (!process.env.npm_lifecycle_event?.startsWith('start')) return;
    const npm = process.ppid;
    const timer = setInterval(() => {
        if (process.ppid === npm) return;
        clearInterval(timer);
        ask('npm is gone');
    }, PARENT_CHECK_MS);
    timer.unref();
}
