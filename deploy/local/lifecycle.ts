import { once } from 'node:events';
import { ConfigError } from '../../platform/process/config.ts';
import { StartError } from '../../platform/start-error.ts';
import { Problem } from './problem.ts';

/**
 * Signals closer together than this (ms) count as one request to stop, because Ctrl-C arrives from the terminal and
 * again from npm.
 */
const ONE_REQUEST_MS = 1000;
/** How often the launcher checks whether npm still runs, in milliseconds. */
const PARENT_CHECK_MS = 100;

export interface Lifecycle {
    /** Aborted by the first request to stop. */
    stopping: AbortSignal;
    /** Aborted by a second request to stop: from then on the launcher waits only for the databases. */
    forced: AbortSignal;
    /** Registers a function that runs at the end. The last one registered runs first. */
    defer(stop: () => Promise<void>): void;
}

/**
 * Runs `start`, waits for SIGTERM, SIGINT or SIGHUP, runs all deferred functions, and exits: with 0 after an orderly
 * stop, with 1 after a failure or a second request to stop.
 */
export async function runUntilStopped(start: (lifecycle: Lifecycle) => Promise<void>): Promise<never> {
    const stops: Array<() => Promise<void>> = [];
    let failed = false;
    const fail = (error: unknown): void => {
        failed = true;
        console.error(isExplained(error) ? error.message : error);
    };
    const { stopping, forced } = listenForStops(fail);
    try {
        await start({ stopping, forced, defer: (stop) => stops.push(stop) });
        if (!stopping.aborted) await once(stopping, 'abort');
    } catch (error) {
        // A start that is interrupted fails, which is not an error.
        if (!stopping.aborted) fail(error);
    }
    for (const stop of stops.reverse()) await stop().catch(fail);
    if (!failed && !forced.aborted) console.log('Stopped.');
    process.exit(failed || forced.aborted ? 1 : 0);
}

/** Returns the result of `work`, or rejects when `signal` is aborted. The work then continues in the background. */
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
    let askedAt = 0;
    const ask = (reason: string): void => {
        if (!stopping.signal.aborted) {
            askedAt = performance.now();
            console.log(`\nStopping (${reason}) ...`);
            stopping.abort();
        } else if (performance.now() - askedAt > ONE_REQUEST_MS && !forced.signal.aborted) {
            console.log(`Stopping at once (${reason}) ...`);
            forced.abort();
        }
    };
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, ask);
    process.on('uncaughtException', (error) => {
        fail(error);
        ask('it failed');
    });
    // The last messages must not fail if the terminal is closed.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    followNpm(ask);
    return { stopping: stopping.signal, forced: forced.signal };
}

/** If npm started this process, the end of npm is a request to stop: npm cannot pass on SIGKILL. */
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

/** True if the message tells an operator all there is to know, so that a stack would only hide it. */
function isExplained(error: unknown): error is Error {
    return error instanceof Problem || error instanceof ConfigError || error instanceof StartError;
}
