import { ownContext } from '../../../platform/context.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import type { EventsServiceDefinition } from '../../../proto/gen/events/v1/events.ts';
import { deliveryOfEvent } from '../body.ts';
import { OUT_OF_ORDER_MS } from '../replay.ts';
import { MAX_WAITING_DELIVERIES } from '../rows.ts';
import type { LanesStore, LeasedWebhook } from './rows.ts';

/** Maximum number of events that are read at a time. Beyond it: the next reading has the rest. */
const READ_EVENTS = 200;

interface Dependencies {
    store: Pick<LanesStore, 'feed' | 'feedReplay' | 'waiting'>;
    events: Pick<ServiceOf<typeof EventsServiceDefinition>, 'listEvents'>;
    /** Milliseconds since 1970. */
    clock: () => number;
}

/**
 * Makes deliveries of the next events of a webhook: first of those that are sent again. Resolves to whether there may be
 * more for which there is room.
 */
export async function feed(webhook: LeasedWebhook, dependencies: Dependencies): Promise<boolean> {
    const room = Math.min(READ_EVENTS, MAX_WAITING_DELIVERIES - (await dependencies.store.waiting(webhook.id)));
    if (webhook.replay_after !== null && room > 0) return feedReplay(webhook, room, dependencies);
    return feedNew(webhook, room, dependencies);
}

async function feedNew(webhook: LeasedWebhook, room: number, { store, events, clock }: Dependencies): Promise<boolean> {
    const { account, cursor, types, behind } = webhook;
    if (room <= 0 && behind) return false;
    const asOwner = { ...ownContext(), user_id: account };
    const read = await events.listEvents({ after: cursor, types, limit: Math.max(room, 1) }, asOwner);
    const isNew = read.next > cursor;
    if (!isNew && !behind) return false;
    const at = clock();
    const hasRoom = room > 0;
    const fed = await store.feed({
        webhook,
        deliveries: hasRoom ? read.events.map((event) => deliveryOfEvent(event, at)) : [],
        cursor: hasRoom ? read.next : cursor,
        behind: isNew && !hasRoom,
        now: new Date(at).toISOString(),
    });
    return fed && hasRoom && isNew;
}

async function feedReplay(
    webhook: LeasedWebhook,
    room: number,
    { store, events, clock }: Dependencies,
): Promise<boolean> {
    const { account, types, replay_after: after, replay_until, replay_from, replay_to } = webhook;
    if (after === null || replay_until === null || replay_from === null || replay_to === null) return true;
    const [from, to] = [Date.parse(replay_from), Date.parse(replay_to)];
    const asOwner = { ...ownContext(), user_id: account };
    const read = await events.listEvents({ after, types, limit: room }, asOwner);
    const timed = read.events.map((event) => ({ event, time: Date.parse(event.timestamp) }));
    const isOver =
        read.next === after || read.next >= replay_until || timed.some(({ time }) => time >= to + OUT_OF_ORDER_MS);
    const again = timed.filter(({ event, time }) => event.seq <= replay_until && time >= from && time < to);
    const at = clock();
    return store.feedReplay({
        webhook,
        deliveries: again.map(({ event }) => deliveryOfEvent(event, at)),
        after: isOver ? null : read.next,
        now: new Date(at).toISOString(),
    });
}
