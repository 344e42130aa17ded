import { Places } from '../bounded-queue.ts';
import { type CallLifetime, callerOf, REQUEST_TIMEOUT_MS } from '../context.ts';

/**
 * Maximum number of statements and transactions that wait for a connection. With four connections and a millisecond
 * each, the last one waits for a quarter of a second. Beyond it: `unavailable`.
 */
const MAX_WAITING = 1_024;

interface ConnectionTurns {
    /**
     * Calls `run` when a connection is free. Callers take turns; a batch, which has no caller, takes those of its name.
     * Rejects with `unavailable` if too many wait, and soon after the call has ended if it still waits. A call without
     * a deadline ends after the time limit of a request.
     */
    <Result>(run: () => Promise<Result>, lifetime: CallLifetime | undefined, name?: string): Promise<Result>;
    /** The number of waiting statements and transactions. */
    waiting(): number;
}

/**
 * Runs at most one statement or transaction per connection at a time. A caller has half of the connections at most: the
 * changes of an account wait for each other's row locks, and must not hold every connection while they wait.
 */
export function connectionTurns(connections: number): ConnectionTurns {
    const perCaller = Math.ceil(connections / 2);
    const places = new Places({ places: connections, perCaller, name: 'database_pool', maxWaiting: MAX_WAITING });
    const turn = <Result>(
        run: () => Promise<Result>,
        lifetime: CallLifetime | undefined,
        name?: string,
    ): Promise<Result> => {
        const deadline = lifetime?.deadline ?? performance.now() + REQUEST_TIMEOUT_MS;
        const caller = (lifetime && callerOf(lifetime)) || name;
        return places.run(run, lifetime?.deadline === undefined ? { ...lifetime, deadline } : lifetime, caller);
    };
    return Object.assign(turn, { waiting: () => places.waiting });
}
