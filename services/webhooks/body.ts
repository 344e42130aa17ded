import { newId } from '../../platform/ids.ts';
import type { Event, EventData } from '../../proto/gen/events/v1/events.ts';
import type { NewDelivery } from './rows.ts';

/** The type of what is sent to try a webhook. It is no type of the stream. */
export const TEST_TYPE = 'webhook.test';

/** The body of a delivery, in the form that Standard Webhooks 1.0.0 recommends. All that it contains is bounded. */
export function bodyOf(event: { type: string; timestamp: string; data: EventData }): string {
    return JSON.stringify({ type: event.type, timestamp: event.timestamp, data: event.data });
}

/** The delivery of an event of the stream. */
export function deliveryOfEvent({ event_id, type, timestamp, data = {} }: Event, now: number): NewDelivery {
    return { id: newId(now), event_id, type, body: bodyOf({ type, timestamp, data }) };
}
