import { overloaded } from '../batch.ts';
import { type CallLifetime, isOver, overError, REQUEST_TIMEOUT_MS } from '../context.ts';
import { sweepWhileNeeded } from '../process/sweep.ts';

/**
 * Statements and transactions that may wait for a connection. Further ones are refused. With four connections and a
 * millisecond each, the last of them waits for a quarter of a second.
 */
const MAX_WAITING = 1_024;

interface Waiting {
    lifetime: CallLifetime;
    begin(): void;
    reject(error: unknown): void;
}

export interface ConnectionTurns {
    /**
     * Calls `run` when a connection is free. Rejects with `unavailable` if too many wait, and as soon as the call ends
     * that it is for; without `patience` it rejects after the time limit of a request.
     */
    <Result>(run: () => Promise<Result>, lifetime: CallLifetime | undefined): Promise<Result>;
    /** Statements and transactions that wait. */
    waiting(): number;
}

/** Runs as many statements and transactions at a time as there are connections, in order of arrival. */
export function connectionTurns(connections: number): ConnectionTurns {
    let queue: Waiting[] = [];
    let underWay = 0;

    async function start<Result>(run: () => Promise<Result>): Promise<Result> {
        try {
            return await run();
        } finally {
            const next = takeNext();
            if (next) next.begin();
            else underWay--;
        }
    }

    function takeNext(): Waiting | undefined {
        const now = performance.now();
        let next = queue.shift();
        while (next && isOver(next.lifetime, now)) {
            next.reject(overError(next.lifetime));
            next = queue.shift();
        }
        return next;
    }

    function sweep(now: number): boolean {
        queue = queue.filter(({ lifetime, reject }) => {
            if (!isOver(lifetime, now)) return true;
            reject(overError(lifetime));
            return false;
        });
        return queue.length > 0;
    }

    function turn<Result>(run: () => Promise<Result>, lifetime: CallLifetime | undefined): Promise<Result> {
        if (underWay < connections) {
            underWay++;
            return start(run);
        }
        if (queue.length >= MAX_WAITING) return Promise.reject(overloaded('database_pool'));
        return new Promise((resolve, reject) => {
            const deadline = lifetime?.deadline ?? performance.now() + REQUEST_TIMEOUT_MS;
            const bounded = lifetime?.deadline === undefined ? { ...lifetime, deadline } : lifetime;
            queue.push({ lifetime: bounded, begin: () => resolve(start(run)), reject });
            sweepWhileNeeded(sweep);
        });
    }

    return Object.assign(turn, { waiting: () => queue.length });
}
