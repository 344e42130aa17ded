import { singleFlight } from '../single-flight.ts';
import type { Log } from './log.ts';

/**
 * Time limit for a check, in milliseconds. It is shorter than that of the probes, which is 2 s. Beyond it: not ready.
 */
const CHECK_TIMEOUT_MS = 1_200;

/** Tells whether requests should be sent to this process and, if not, why. */
export interface Readiness {
    /** True if the process has started and is not stopping. */
    serving: boolean;
    /**
     * Adds a check. From now on, the process is ready only while `check` resolves. Otherwise it rejects with the reason.
     */
    addCheck(name: string, check: () => Promise<unknown>): void;
    /** Returns the failing checks, each with its reason; empty if the process is ready. Logs each change. */
    failingChecks(): Promise<string[]>;
}

export function createReadiness({ log }: { log: Log }): Readiness {
    const checks: Array<() => Promise<string | undefined>> = [];
    let logged = '';

    function tell(failingChecks: string[]): void {
        const now = failingChecks.join('\n');
        if (now === logged) return;
        logged = now;
        if (failingChecks.length > 0) log.warn({ failingChecks }, 'not ready');
        else log.info('ready again');
    }

    const readiness: Readiness = {
        serving: false,
        addCheck(name, check) {
            const shared = singleFlight(check, CHECK_TIMEOUT_MS);
            checks.push(() =>
                shared().then(
                    () => undefined,
                    (error) => `${name}: ${rootCause(error)}`,
                ),
            );
        },
        async failingChecks() {
            if (!readiness.serving) return ['the process is starting or stopping'];
            const reasons = await Promise.all(checks.map((check) => check()));
            const failingChecks = reasons.filter((reason) => reason !== undefined);
            tell(failingChecks);
            return failingChecks;
        },
    };
    return readiness;
}

/** Returns the message of the innermost cause. The errors around it have texts that are written for callers. */
function rootCause(error: unknown): string {
    if (!Error.isError(error)) return String(error);
    return error.cause === undefined ? error.message.trim() || error.name : rootCause(error.cause);
}
