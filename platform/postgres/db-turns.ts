import { Places } from '../bounded-queue.ts';
import { type CallLifetime, REQUEST_TIMEOUT_MS } from '../context.ts';

/**
 * Maximum number of statements and transactions that wait for a connection. Further ones are refused. With four
 * connections and a millisecond each, the last one waits for a quarter of a second.
 */
const MAX_WAITING = 1_024;

export interface ConnectionTurns {
    /**
     * Calls `run` when a connection is free. Rejects with `unavailable` if too many wait, and soon after the call has
     * ended if it still waits. A call without a deadline ends after the time limit of a request.
     */
    <Result>(run: () => Promise<Result>, lifetime: CallLifetime | undefined): Promise<Result>;
    /** The number of waiting statements and transactions. */
    waiting(): number;
}

/** Runs at most one statement or transaction per connection at a time, in order of arrival. */
export function connectionTurns(connections: number): ConnectionTurns {
    const places = new Places({ places: connections, name: 'database_pool', maxWaiting: MAX_WAITING });
    const turn = <Result>(run: () => Promise<Result>, lifetime: CallLifetime | undefined): Promise<Result> => {
        const deadline = lifetime?.deadline ?? performance.now() + REQUEST_TIMEOUT_MS;
        return places.run(run, lifetime?.deadline === undefined ? { ...lifetime, deadline } : lifetime);
    };
    return Object.assign(turn, { waiting: () => places.waiting });
}
