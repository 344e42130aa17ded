import { fork } from 'node:child_process';

const VISIT_EVERY_MS = 2_000;

/** What the visitors have done. */
export interface Visits {
    visits: number;
    calls: number;
    /** By status. */
    refused: Record<string, number>;
    error: string | undefined;
}

/** Starts them in a process of their own; `env` names the service. */
export function startVisitors(env: Record<string, string>): { stop(): Promise<Visits> } {
    const child = fork(new URL('visitors.ts', import.meta.url), [String(VISIT_EVERY_MS)], {
        env: { ...process.env, ...env },
    });
    const { promise, resolve, reject } = Promise.withResolvers<Visits>();
    child.once('message', (visits: Visits) => resolve(visits));
    child.once('exit', (code) => reject(new Error(`The visitors ended with ${code}.`)));
    promise.catch(() => {}); // told by stop()
    return {
        stop() {
            if (child.connected) child.send('stop');
            return promise;
        },
    };
}
