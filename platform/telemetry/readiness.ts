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
     * `required: false`: the process stays ready, and the failure is only shown and logged.
     */
    addCheck(name: string, check: () => Promise<unknown>, options?: { required: boolean }): void;
    /** Returns all failing checks, each with its reason; empty if the process is ready. Logs each change. */
    failingChecks(): Promise<string[]>;
    /** The checks that failed at the last look although the process is ready, each with its reason. */
    remarks(): readonly string[];
}

export function createReadiness({ log }: { log: Log }): Readiness {
    const checks: Array<{ required: boolean; look(): Promise<string | undefined> }> = [];
    let logged = '';
    let remarks: string[] = [];

    function tell(failingChecks: string[]): void {
        const now = [...failingChecks, ...remarks].join('\n');
        if (now === logged) return;
        logged = now;
        if (failingChecks.length > 0) log.warn({ failingChecks }, 'not ready');
        else if (remarks.length > 0) log.warn({ failingChecks: remarks }, 'ready, but not for all calls');
        else log.info('ready again');
    }

    async function failing(): Promise<Array<{ required: boolean; reason: string }>> {
        const looked = await Promise.all(checks.map(async (check) => ({ ...check, reason: await check.look() })));
        return looked.flatMap(({ required, reason }) => (reason === undefined ? [] : [{ required, reason }]));
    }

    const readiness: Readiness = {
        serving: false,
        remarks: () => remarks,
        addCheck(name, check, { required } = { required: true }) {
            const shared = singleFlight(check, 'readiness', CHECK_TIMEOUT_MS);
            const look = () =>
                shared().then(
                    () => undefined,
                    (error) => `${name}: ${rootCause(error)}`,
                );
            checks.push({ required, look });
        },
        async failingChecks() {
            if (!readiness.serving) return ['the process is starting or stopping'];
            const found = await failing();
            const reasons = found.map(({ reason }) => reason);
            const isReady = found.every(({ required }) => !required);
            remarks = isReady ? reasons : [];
            const failingChecks = isReady ? [] : reasons;
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
