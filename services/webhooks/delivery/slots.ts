import { Places } from '../../../platform/bounded-queue.ts';

/** Maximum number of deliveries that a process has under way. Beyond it: the next ones wait. */
const MAX_IN_FLIGHT = 256;
/** How many of them may be to webhooks of one account. Beyond it: its next ones wait. */
const MAX_OF_ACCOUNT = 224;
/**
 * How many of them may be probes: deliveries to webhooks of which nobody knows whether they answer. Such a webhook gets
 * one at a time. Beyond it: the next ones wait.
 */
const MAX_PROBES = 128;
/**
 * How many probes may be to webhooks of one account. So a hundred webhooks that hang delay no other webhook, of this
 * account or another. Beyond it: its next ones wait.
 */
const MAX_PROBES_OF_ACCOUNT = 112;
/** Maximum number of deliveries that wait, more than all lanes of a process have. Beyond it: the lane is interrupted. */
const MAX_WAITING = 8_192;

/** The places of a process for deliveries under way. Accounts take turns. */
export interface Slots {
    /** Runs `work` when there is a place. `isProbe`: it is not known whether the webhook answers. */
    run<Result>(of: { account: string; isProbe: boolean }, work: () => Promise<Result>): Promise<Result>;
}

/**
 * The webhooks of one account that hang leave places to all others. If those of several accounts take all places, a
 * delivery of another account waits for its turn: at most one delivery of each account goes before it.
 */
export function slots(): Slots {
    const bounds = { maxWaiting: MAX_WAITING };
    const all = new Places({
        ...bounds,
        places: MAX_IN_FLIGHT,
        perCaller: MAX_OF_ACCOUNT,
        name: 'webhook_deliveries',
    });
    const probes = new Places({
        ...bounds,
        places: MAX_PROBES,
        perCaller: MAX_PROBES_OF_ACCOUNT,
        name: 'webhook_probes',
    });
    return {
        run({ account, isProbe }, work) {
            const runAny = () => all.run(work, {}, account);
            return isProbe ? probes.run(runAny, {}, account) : runAny();
        },
    };
}
