import { Places } from '../../../platform/bounded-queue.ts';

/** Maximum number of deliveries that a process has under way. Beyond it: the next ones wait. */
const MAX_IN_FLIGHT = 256;
/**
 * How many of them may be to webhooks of which it is not known whether they answer: each has one at a time. So those that
 * hang leave room for the others. Beyond it: the next ones wait.
 */
const MAX_PROBES = 128;
/** Maximum number of deliveries that wait, more than all lanes of a process have. Beyond it: the lane is interrupted. */
const MAX_WAITING = 8_192;

/** The places of a process for deliveries under way. */
export interface Slots {
    /** Runs `work` when there is a place. `isProbe`: it is not known whether the webhook answers. */
    run<Result>(isProbe: boolean, work: () => Promise<Result>): Promise<Result>;
}

export function slots(): Slots {
    const all = new Places({ places: MAX_IN_FLIGHT, name: 'webhook_deliveries', maxWaiting: MAX_WAITING });
    const probes = new Places({ places: MAX_PROBES, name: 'webhook_probes', maxWaiting: MAX_WAITING });
    return {
        run: (isProbe, work) => (isProbe ? probes.run(() => all.run(work, {}), {}) : all.run(work, {})),
    };
}
