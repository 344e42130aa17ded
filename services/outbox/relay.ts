import { ownContext } from '../../platform/context.ts';
import { countWithin } from '../../platform/gather.ts';
import type { Database } from '../../platform/postgres/db.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import type { ServiceDefinition, ServiceOf } from '../../platform/rpc/definition.ts';
import type { Entry, EventData, EventsServiceDefinition } from '../../proto/gen/events/v1/events.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../../proto/services.ts';
import type { Causes } from './cause.ts';
import { unpackedEvents } from './issued-events.ts';
import { hasEntries, ISSUED, type OutboxEntry, oldestEntries, type Publisher, removeEntries } from './outbox.store.ts';

/** Interval between two looks at an outbox, in milliseconds. An event is in its stream after about one of them. */
const RELAY_EVERY_MS = 1_000;
/** Number of entries in one call of the events service. Beyond it: the next call has them. */
const RELAYED_ENTRIES = 500;
/** Length of the entries of one call, about as JSON text. Beyond it: the next call has the rest. */
const RELAYED_LENGTH = 1 << 20;
/** Length of the names in an event, which its texts do not have. */
const NAMES_LENGTH = 64;

type Events = Pick<ServiceOf<typeof EventsServiceDefinition>, 'appendEvents'>;

/**
 * Passes the entries in the outbox of a service on to the events service, and removes them when that has them. It may be
 * interrupted and repeated at any point, and run twice at once: the events service ignores an entry that it has. Entries
 * that are written meanwhile may wait for the next run.
 */
export async function relay(service: Publisher, { db, events }: { db: Database; events: Events }): Promise<void> {
    let entries: readonly OutboxEntry[];
    do {
        entries = await oldestEntries(db, service, RELAYED_ENTRIES);
        for (let rest = entries.map(parsed); rest.length > 0; ) {
            const next = rest.slice(0, countWithin(rest, { of: lengthOf, max: RELAYED_LENGTH }));
            await events.appendEvents({ entries: next.map(({ entry }) => entry) }, ownContext());
            const ids = next.map(({ id }) => id);
            await removeEntries(db, service, ids);
            rest = rest.slice(next.length);
        }
    } while (entries.length === RELAYED_ENTRIES);
}

type CausedEvent = EventData & { account: string };

/** `id`: of its row in the outbox. */
function parsed({ id, entry_id, type, happened_at, causes, data }: OutboxEntry): { id: number; entry: Entry } {
    return {
        id,
        entry: { entry_id, type, timestamp: happened_at, events: eventsOf({ type, causes: causes ?? '{}', data }) },
    };
}

function eventsOf({ type, causes, data }: Record<'type' | 'causes' | 'data', string>): Entry['events'] {
    if (type === ISSUED) return unpackedEvents(causes, JSON.parse(data));
    const beside: Causes = JSON.parse(causes);
    return (JSON.parse(data) as CausedEvent[]).map((event) => causedEvent(event, beside));
}

function lengthOf({ entry: { events } }: { entry: Entry }): number {
    let length = events.length * NAMES_LENGTH;
    for (const { account, actor = '', request_id = '', data } of events) {
        length += account.length + actor.length + request_id.length;
        for (const name in data) length += data[name as keyof EventData]?.length ?? 0;
    }
    return length;
}

function causedEvent({ account, ...data }: CausedEvent, causes: Causes) {
    const { credential_id, offer_id } = data;
    const cause = Array.isArray(causes) ? causes : causes[credential_id ?? offer_id ?? ''];
    const [actor, requestId] = cause ?? [];
    return { account, data, actor, request_id: requestId };
}

/** Returns the job that empties the outbox of a service. */
export function relayJob(service: Publisher) {
    return ({
        db,
        serviceClient,
    }: {
        db: Database;
        serviceClient<D extends ServiceDefinition>(role: ServiceRole, definition: D): ServiceOf<D>;
    }): Record<string, Job> => {
        const events = serviceClient('events', SERVICE_DEFINITIONS.events);
        const isDue = () => hasEntries(db, service);
        return { relay: { everyMs: RELAY_EVERY_MS, isDue, run: () => relay(service, { db, events }) } };
    };
}
