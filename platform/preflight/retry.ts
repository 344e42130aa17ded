import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '../start-error.ts';
import type { Log } from '../telemetry/log.ts';

/** Pause between attempts, in milliseconds. */
const RETRY_MS = 500;

/**
 * Calls `attempt` until it resolves, to its result. Logs one line for each reason to wait. `giveUp` throws if waiting does not help
 * against this failure.
 */
export async function retry<Result>(
    attempt: () => Promise<Result>,
    { log, giveUp }: { log: Pick<Log, 'warn'>; giveUp(failure: unknown): void },
): Promise<Result> {
    let logged = '';
    for (;;) {
        try {
            return await attempt();
        } catch (error) {
            giveUp(error);
            const reason = reasonOf(error);
            if (reason !== logged) log.warn({ reason }, 'waiting for the database');
            logged = reason;
        }
        await delay(RETRY_MS);
    }
}
