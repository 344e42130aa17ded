import { type AttemptDependencies, attempt } from './attempt.ts';
import { feed } from './feed.ts';
import type { DueDelivery, LanesStore, LeasedWebhook } from './rows.ts';
import { notBefore, PAUSED_AFTER_MS, type Verdict } from './schedule.ts';
import type { Slots } from './slots.ts';

/** Maximum number of deliveries to a webhook under way. Beyond it: the next ones wait. */
const IN_FLIGHT = 8;
/** Maximum number of due deliveries that are read at a time. Beyond it: the next reading has the rest. */
const ROUND = 64;
/**
 * How long the deliveries of a round are begun, in milliseconds. Beyond it: the next round begins the rest, and reads first
 * whether the webhook is still active and which URL it has.
 */
const ROUND_MS = 2_000;

export interface LaneDependencies extends AttemptDependencies {
    store: LanesStore;
    events: Parameters<typeof feed>[1]['events'];
    slots: Slots;
}

/**
 * Sends what is due to a leased webhook, and gives it back when nothing more is, when it has failed, or when `signal` says
 * so. A webhook gets one delivery at a time until one has succeeded, and again after a failure.
 */
export async function runLane(id: string, deps: LaneDependencies, signal: AbortSignal): Promise<void> {
    const { store, clock } = deps;
    for (let isProven = false; !signal.aborted; ) {
        const now = new Date(clock()).toISOString();
        const webhook = await store.read(id, now);
        if (!webhook) break;
        const { wakes, not_before, failures } = webhook;
        if (not_before !== null && not_before > now) {
            if (await store.release({ id, wakes })) return;
            continue;
        }
        const hasMore = await feed(webhook, deps);
        const due = await store.due(id, failures > 0 ? 1 : ROUND, new Date(clock()).toISOString());
        if (due.length === 0) {
            if (!hasMore && (await store.release({ id, wakes }))) return;
            continue;
        }
        const { succeeded, failure } = await sendAll(webhook, due, { deps, signal, isProven });
        isProven = succeeded;
        if (failure) await noteFailure(webhook, { succeeded, failure }, deps);
        else if (succeeded && failures > 0) await store.noteSuccess(webhook);
    }
    await store.release({ id, wakes: 'any' });
}

/** What the deliveries of a round mean for their webhook. */
interface Round {
    succeeded: boolean;
    failure: Verdict | undefined;
}

/** Sends until one fails. Those that are not attempted stay due. */
async function sendAll(
    webhook: LeasedWebhook,
    due: readonly DueDelivery[],
    { deps, signal, isProven }: { deps: LaneDependencies; signal: AbortSignal; isProven: boolean },
): Promise<Round> {
    const round: Round = { succeeded: isProven, failure: undefined };
    const until = deps.clock() + ROUND_MS;
    let next = 0;
    const goesOn = () => next < due.length && !round.failure && !signal.aborted && deps.clock() < until;
    const sendNext = async (): Promise<void> => {
        const one = due[next++];
        if (!one) return;
        const standing = round.succeeded ? 'proven' : webhook.failures > 0 ? 'failing' : 'unknown';
        const verdict = await deps.slots.run({ account: webhook.account, standing }, () =>
            attempt(webhook, one, deps, signal),
        );
        if (verdict?.kind === 'delivered') round.succeeded = true;
        else round.failure ??= verdict;
    };
    const sendOn = async (): Promise<void> => {
        while (goesOn()) await sendNext();
    };
    while (!round.succeeded && goesOn()) await sendNext();
    const senders = await Promise.allSettled(Array.from({ length: IN_FLIGHT }, sendOn));
    const broken = senders.find((sender) => sender.status === 'rejected');
    if (broken) throw broken.reason;
    return round;
}

/** Has a webhook that has failed wait. After five days without a success it is paused; if it is gone, disabled. */
async function noteFailure(
    webhook: LeasedWebhook,
    { succeeded, failure }: { succeeded: boolean; failure: Verdict },
    { store, clock }: LaneDependencies,
): Promise<void> {
    const { failures, failing_since } = webhook;
    const now = clock();
    const failed = succeeded ? 1 : failures + 1;
    const since = succeeded || failing_since === null ? new Date(now).toISOString() : failing_since;
    const until = new Date(notBefore({ failures: failed, waitMs: failure.waitMs }, now)).toISOString();
    const noted = { failures: failed, failing_since: since, not_before: until };
    await store.noteFailure(webhook, noted);
    const failing = { ...webhook, ...noted };
    if (failure.kind === 'gone') await store.stop(failing, 'disabled');
    else if (now - Date.parse(since) >= PAUSED_AFTER_MS) await store.stop(failing, 'paused');
}
