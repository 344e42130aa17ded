import { ownContext } from '../../platform/context.ts';
import type { Database } from '../../platform/postgres/db.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import type { ServiceDefinition, ServiceOf } from '../../platform/rpc/definition.ts';
import type { EventsServiceDefinition } from '../../proto/gen/events/v1/events.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../../proto/services.ts';
import { type OutboxEntry, oldestEntries, type Publisher, removeEntries } from './outbox.store.ts';

/** Interval between two runs, in milliseconds. An event is in its stream after at most about one of them. */
const RELAY_EVERY_MS = 1_000;
/** Number of entries in one call of the events service. Beyond it: the next call has them. */
const RELAYED_ENTRIES = 200;

type Events = Pick<ServiceOf<typeof EventsServiceDefinition>, 'appendEvents'>;

/**
 * Passes the entries in the outbox of a service on to the events service, and removes them when that has them. It may be
 * interrupted and repeated at any point, and run twice at once: the events service ignores an entry that it has. Entries
 * that are written meanwhile may wait for the next run.
 */
export async function relay(service: Publisher, { db, events }: { db: Database; events: Events }): Promise<void> {
    for (let relayed = RELAYED_ENTRIES; relayed === RELAYED_ENTRIES; ) {
        const entries = await oldestEntries(db, service, RELAYED_ENTRIES);
        relayed = entries.length;
        if (relayed === 0) return;
        await events.appendEvents({ entries: entries.map(sent) }, ownContext());
        const ids = entries.map(({ id }) => id);
        await removeEntries(db, service, ids);
    }
}

function sent({ entry_id, account, type, happened_at, data }: OutboxEntry) {
    return { entry_id, account, type, timestamp: happened_at, data: JSON.parse(data) };
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
        return { relay: { everyMs: RELAY_EVERY_MS, run: () => relay(service, { db, events }) } };
    };
}
