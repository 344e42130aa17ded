import { ownContext } from '../../platform/context.ts';
import { countWithin } from '../../platform/gather.ts';
import type { Database } from '../../platform/postgres/db.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import type { ServiceDefinition, ServiceOf } from '../../platform/rpc/definition.ts';
import type { EventData, EventsServiceDefinition } from '../../proto/gen/events/v1/events.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../../proto/services.ts';
import type { Causes } from './cause.ts';
import { type KnownEvent, type OutboxEntry, oldestEntries, type Publisher, removeEntries } from './outbox.store.ts';

/** Interval between two looks at an outbox, in milliseconds. An event is in its stream after about one of them. */
const RELAY_EVERY_MS = 1_000;
/** Number of entries in one call of the events service. Beyond it: the next call has them. */
const RELAYED_ENTRIES = 500;
/** Length of the entries of one call as JSON text. Beyond it: the next call has the rest. */
const RELAYED_LENGTH = 1 << 20;

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
        for (let rest = entries; rest.length > 0; ) {
            const next = rest.slice(0, countWithin(rest, { of: lengthOf, max: RELAYED_LENGTH }));
            await events.appendEvents({ entries: next.map(sent) }, ownContext());
            const ids = next.map(({ id }) => id);
            await removeEntries(db, service, ids);
            rest = rest.slice(next.length);
        }
    } while (entries.length === RELAYED_ENTRIES);
}

function lengthOf({ causes, data }: OutboxEntry): number {
    return data.length + (causes?.length ?? 0);
}

type CausedEvent = EventData & { account: string };

function sent({ entry_id, type, happened_at, causes, data }: OutboxEntry) {
    const beside = JSON.parse(causes ?? '{}');
    const written: CausedEvent[] | string[] = JSON.parse(data);
    const events = isIds(written) ? knownEvents(beside, written) : written.map((event) => causedEvent(event, beside));
    return { entry_id, type, timestamp: happened_at, events };
}

function isIds(written: CausedEvent[] | string[]): written is string[] {
    return typeof written[0] === 'string';
}

/** Those of the written rows. */
function knownEvents(events: readonly KnownEvent[], written: readonly string[]) {
    const ids = new Set(written);
    return events
        .filter(([id]) => ids.has(id))
        .map(([, account, [actor, requestId], data]) => ({ account, data, actor, request_id: requestId }));
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
        const isDue = async () => (await oldestEntries(db, service, 1)).length > 0;
        return { relay: { everyMs: RELAY_EVERY_MS, isDue, run: () => relay(service, { db, events }) } };
    };
}
