import type { Log } from './log.ts';
import { sharedLook } from './shared-look.ts';

/** Time limit for a check, in milliseconds: probes wait for 2 s. */
const LOOK_MS = 1_200;

/** Tells whether requests should be sent to this process and, if not, why. */
export interface Readiness {
    /** The process has started and is not stopping. */
    serving: boolean;
    /** Adds a check: from now on `look` must resolve; otherwise it rejects with the reason. */
    need(name: string, look: () => Promise<unknown>): void;
    /** The failing checks, each with its reason; empty if the process is ready. Changes are logged. */
    obstacles(): Promise<string[]>;
}

export function createReadiness({ log }: { log: Log }): Readiness {
    const needs: Array<() => Promise<string | undefined>> = [];
    let logged = '';

    function tell(obstacles: string[]): void {
        const now = obstacles.join('\n');
        if (now === logged) return;
        logged = now;
        if (obstacles.length > 0) log.warn({ obstacles }, 'not ready');
        else log.info('ready again');
    }

    const readiness: Readiness = {
        serving: false,
        need(name, look) {
            const shared = sharedLook(look, LOOK_MS);
            needs.push(() =>
                shared().then(
                    () => undefined,
                    (error) => `${name}: ${rootCause(error)}`,
                ),
            );
        },
        async obstacles() {
            if (!readiness.serving) return ['it starts, or stops'];
            const looks = await Promise.all(needs.map((look) => look()));
            const obstacles = looks.filter((obstacle) => obstacle !== undefined);
            tell(obstacles);
            return obstacles;
        },
    };
    return readiness;
}

/** The innermost cause. The errors around it are written for callers. */
function rootCause(error: unknown): string {
    if (!Error.isError(error)) return String(error);
    return error.cause === undefined ? error.message.trim() || error.name : rootCause(error.cause);
}
