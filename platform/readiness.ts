import type { Log } from './log.ts';
import { sharedLook } from './shared-look.ts';

/** How long a look may take, in milliseconds: probes have a patience of 2 s. */
const LOOK_MS = 1_200;

/** Whether requests should be sent to this process, and what keeps them from it. */
export interface Readiness {
    /** It has started, and is not stopping. */
    serving: boolean;
    /** From now on `look` has to resolve, too; else it rejects with the reason. */
    need(name: string, look: () => Promise<unknown>): void;
    /** What is missing, each with its reason; nothing: requests may come. Changes are logged. */
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

/** What lies under the errors that say what it means to a caller. */
function rootCause(error: unknown): string {
    if (!Error.isError(error)) return String(error);
    return error.cause === undefined ? error.message.trim() || error.name : rootCause(error.cause);
}
