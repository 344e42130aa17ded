import { ownContext } from '../../platform/context.ts';
import type { Database } from '../../platform/postgres/db.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import type { ServiceDefinition, ServiceOf } from '../../platform/rpc/definition.ts';
import type { EventData, EventsServiceDefinition } from '../../proto/gen/events/v1/events.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../../proto/services.ts';
import type { Cause, Causes } from './cause.ts';
import { type OutboxEntry, oldestEntries, type Publisher, removeEntries } from './outbox.store.ts';

/** Interval between two runs, in milliseconds. An event is in its stream after at most about one of them. */
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
    for (;;) {
        const oldest = await oldestEntries(db, service, RELAYED_ENTRIES);
        if (oldest.length === 0) return;
        const entries = firstWithin(oldest, RELAYED_LENGTH);
        await events.appendEvents({ entries: entries.map(sent) }, ownContext());
        const ids = entries.map(({ id }) => id);
        await removeEntries(db, service, ids);
        if (entries.length === oldest.length && oldest.length < RELAYED_ENTRIES) return;
    }
}

/** The first of these entries, and those after it while all together are not longer than `length`. */
function firstWithin(entries: readonly OutboxEntry[], length: number): readonly OutboxEntry[] {
    let sum = 0;
    const end = entries.findIndex(({ causes, data }, index) => {
        sum += data.length + (causes?.length ?? 0);
        return index > 0 && sum > length;
    });
    return end === -1 ? entries : entries.slice(0, end);
}

function sent({ entry_id, type, happened_at, causes: causesText, data }: OutboxEntry) {
    const causes: Causes = JSON.parse(causesText ?? '{}');
    const events: Array<EventData & { account: string }> = JSON.parse(data);
    return {
        entry_id,
        type,
        timestamp: happened_at,
        events: events.map(({ account, ...data }) => {
            const [actor, requestId] = causeIn(causes, data) ?? [];
            return { account, data, actor, request_id: requestId };
        }),
    };
}

function causeIn(causes: Causes, { credential_id, offer_id }: EventData): Cause | undefined {
    return Array.isArray(causes) ? causes : causes[credential_id ?? offer_id ?? ''];
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
