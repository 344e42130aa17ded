import { Places } from '../bounded-queue.ts';
import type { CallLifetime } from '../context.ts';

/** Maximum number of attempts on one subject from one address that wait in this process. Beyond it: `unavailable`. */
const MAX_WAITING = 1_000;
/** The queue's name in metrics and traces. */
export const QUEUE = 'password_attempts';

/**
 * Runs at most `limit` calls with the same key at once, in order of arrival. A waiting call fails with `cancelled` as
 * soon as it is cancelled, and with `deadline` soon after its deadline.
 */
export function turns(
    limit: number,
): <Result>(key: string, lifetime: CallLifetime, run: () => Promise<Result>) => Promise<Result> {
    const byKey = new Map<string, Places>();
    return async (key, lifetime, run) => {
        const places = byKey.get(key) ?? new Places({ places: limit, name: QUEUE, maxWaiting: MAX_WAITING });
        byKey.set(key, places);
        try {
            return await places.run(run, lifetime);
        } finally {
            if (places.isEmpty && byKey.get(key) === places) byKey.delete(key);
        }
    };
}
