import type { CallContext } from '../../platform/context.ts';
import { DAY_MS } from '../../platform/days.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import type { ReplayRequest, ReplayResponse } from '../../proto/gen/webhooks/v1/webhooks.ts';
import { MAX_REPLAY_DAYS } from '../../proto/limits.ts';
import { readDateTime } from '../../tokens/times.ts';
import { deliveryOfEvent } from './body.ts';
import type { WebhooksDependencies } from './dependencies.ts';
import type { OwnWebhook } from './rows.ts';
import { existingWebhook, ownWebhook, refuseInactive } from './rules.ts';

/**
 * How much later than another one an event may have happened that has a lower number, in milliseconds: it waited in the
 * outbox of its service. Beyond it: it is not sent again.
 */
export const OUT_OF_ORDER_MS = 3_600_000;

/** Sends events again: one at once, or those of a time by and by. */
export async function replayEvents(
    deps: WebhooksDependencies,
    request: ReplayRequest,
    context: CallContext,
): Promise<ReplayResponse> {
    const own = ownWebhook(request.webhook_id, context);
    const { event_id, from, to } = request;
    if (event_id !== undefined && from === undefined && to === undefined) await replayOne(deps, own, event_id, context);
    else if (event_id === undefined) await replayTime(deps, own, requireTimes(from, to), context);
    else throw invalid('Either event_id, or from and to must be given.');
    return { webhook_id: own.id };
}

async function replayOne(
    { store, services, clock }: WebhooksDependencies,
    own: OwnWebhook,
    eventId: string,
    context: CallContext,
): Promise<void> {
    const { types } = existingWebhook(await store.find(own, context));
    const [account, digits = ''] = eventId.split('.', 2);
    const seq = account === own.account && /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : undefined;
    const asked = { after: (seq ?? 1) - 1, types: [], limit: 1 };
    const [event] = seq === undefined ? [] : (await services.events.listEvents(asked, context)).events;
    if (event?.event_id !== eventId) throw new AppError('not_found', 'This event does not exist.');
    if (types.length > 0 && !types.includes(event.type))
        throw new AppError('conflict', 'The webhook does not take events of this type.');
    const now = clock();
    const delivery = deliveryOfEvent(event, now);
    refuseInactive(await store.enqueue({ ...own, delivery, now: new Date(now).toISOString() }, context));
}

async function replayTime(
    { store, services, clock }: WebhooksDependencies,
    own: OwnWebhook,
    { from, to }: { from: number; to: number },
    context: CallContext,
): Promise<void> {
    refuseInactive((await store.find(own, context))?.state);
    const asTrusted = { ...context, trusted: true };
    const { heads } = await services.events.getHeads({ accounts: [own.account] }, asTrusted);
    const until = heads[0]?.seq ?? 0;
    const after = await lastBefore(from - OUT_OF_ORDER_MS, until, async (number) => {
        const { events } = await services.events.listEvents({ after: number, types: [], limit: 1 }, context);
        return events[0] && Date.parse(events[0].timestamp);
    });
    const isMade = await store.replay(
        {
            ...own,
            after,
            until,
            from: new Date(from).toISOString(),
            to: new Date(to).toISOString(),
            now: new Date(clock()).toISOString(),
        },
        context,
    );
    if (!isMade) throw new AppError('conflict', 'A replay to this webhook is under way. Wait until it has ended.');
}

function requireTimes(fromText = '', toText = ''): { from: number; to: number } {
    const [from, to] = [Date.parse(readDateTime(fromText) ?? ''), Date.parse(readDateTime(toText) ?? '')];
    if (Number.isNaN(from) || Number.isNaN(to))
        throw invalid('Give event_id, or from and to as times of ISO 8601 with an offset.');
    if (from >= to) throw invalid('from must be before to.');
    if (to - from > MAX_REPLAY_DAYS * DAY_MS) throw invalid(`to may be at most ${MAX_REPLAY_DAYS} days after from.`);
    return { from, to };
}

/**
 * Returns a number up to which no event happened at `time` or later, by bisection. `timeAfter` returns the time of the
 * first event after a number; undefined if there is none.
 */
async function lastBefore(
    time: number,
    head: number,
    timeAfter: (number: number) => Promise<number | undefined>,
): Promise<number> {
    let [low, high] = [0, head];
    while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const found = await timeAfter(middle);
        if (found !== undefined && found < time) low = middle + 1;
        else high = middle;
    }
    return low;
}
