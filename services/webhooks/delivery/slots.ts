import { Places } from '../../../platform/bounded-queue.ts';

/** Maximum number of deliveries that a process has under way. Beyond it: the next ones wait. */
const MAX_IN_FLIGHT = 256;
/** How many of them may be to webhooks of one account. Beyond it: its next ones wait. */
const MAX_OF_ACCOUNT = 224;
/**
 * How many of them may be to webhooks of which it is not known whether they answer: each has one at a time. Beyond it: the
 * next ones wait.
 */
const MAX_PROBES = 128;
/**
 * How many of these may be to webhooks of one account: a hundred that hang delay neither its own other ones nor those of
 * others. Beyond it: its next ones wait.
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
 * The webhooks of one account that hang leave places to the others. Those of several accounts may take all: then a
 * delivery of another account waits for its turn, which is after at most one of each account.
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
