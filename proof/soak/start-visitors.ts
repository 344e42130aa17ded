import { fork } from 'node:child_process';

/** Least time from one visit to the next, in milliseconds. */
const VISIT_EVERY_MS = 2_000;

/** Totals of all visitors. */
export interface Visits {
    visits: number;
    calls: number;
    /** Refused calls by status. */
    refused: Record<string, number>;
    error: string | undefined;
}

/** Starts the visitors in a child process. `env` names the service. */
export function startVisitors(env: Record<string, string>): { stop(): Promise<Visits> } {
    const child = fork(new URL('visitors.ts', import.meta.url), [String(VISIT_EVERY_MS)], {
        env: { ...process.env, ...env },
    });
    const { promise, resolve, reject } = Promise.withResolvers<Visits>();
    child.once('message', (visits: Visits) => resolve(visits));
    child.once('exit', (code) => reject(new Error(`The visitors ended with ${code}.`)));
    promise.catch(() => {}); // stop() reports the error
    return {
        stop() {
            if (child.connected) child.send('stop');
            return promise;
        },
    };
}
