import { Places } from '../../../platform/bounded-queue.ts';

/** Maximum number of deliveries that a process has under way. Beyond it: the next ones wait. */
const MAX_IN_FLIGHT = 256;
/** How many of them may be to webhooks of one account. Beyond it: its next ones wait. */
const MAX_OF_ACCOUNT = 224;
/**
 * How many of them may be to webhooks of which the process does not know yet whether they answer: the first one of each
 * burst, and those to webhooks that fail. Such a webhook gets one at a time. Beyond it: the next ones wait.
 */
const MAX_PROBES = 192;
/** How many probes may be to webhooks of one account. Beyond it: its next ones wait. */
const MAX_PROBES_OF_ACCOUNT = 168;
/** How many probes may be to webhooks that fail: the last attempt had no success. Beyond it: the next ones wait. */
const MAX_FAILING = 128;
/**
 * How many of these may be to webhooks of one account. So a hundred webhooks that hang delay no other webhook, of this
 * account or another. Beyond it: its next ones wait.
 */
const MAX_FAILING_OF_ACCOUNT = 112;
/** Maximum number of deliveries that wait, more than all lanes of a process have. Beyond it: the lane is interrupted. */
const MAX_WAITING = 8_192;

/**
 * What a process knows of a webhook. `proven`: it has answered in this burst. `failing`: the last attempt had no success.
 * `unknown`: neither, as at the start of a burst.
 */
export type Standing = 'proven' | 'unknown' | 'failing';

/** The places of a process for deliveries under way. Accounts take turns. */
export interface Slots {
    /** Runs `work` when there is a place. */
    run<Result>(of: { account: string; standing: Standing }, work: () => Promise<Result>): Promise<Result>;
}

/**
 * The webhooks of one account that hang leave places to all others, and those that are known to fail leave places to the
 * first deliveries of the others. A webhook that begins to hang is known to fail after its first attempt. If those of
 * several accounts take all places of a kind, a delivery of another account waits for its turn: at most one delivery of
 * each account goes before it.
 */
export function slots(): Slots {
    const places = (name: string, all: number, perCaller: number) =>
        new Places({ name, places: all, perCaller, maxWaiting: MAX_WAITING });
    const inFlight = places('webhook_deliveries', MAX_IN_FLIGHT, MAX_OF_ACCOUNT);
    const probes = places('webhook_probes', MAX_PROBES, MAX_PROBES_OF_ACCOUNT);
    const failing = places('webhook_failing', MAX_FAILING, MAX_FAILING_OF_ACCOUNT);
    return {
        run({ account, standing }, work) {
            const send = () => inFlight.run(work, {}, account);
            const probe = () => probes.run(send, {}, account);
            if (standing === 'proven') return send();
            return standing === 'failing' ? failing.run(probe, {}, account) : probe();
        },
    };
}
