import { requireTrusted, requireUser } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import { refuseUnstorable } from '../../platform/postgres/storable.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import { isId } from '../../platform/uuid.ts';
import { EVENT_TYPES, isEventType } from '../../proto/event-types.ts';
import type {
    AppendEventsRequest,
    Event,
    EventsServiceDefinition,
    ListEventsRequest,
    ListEventsResponse,
} from '../../proto/gen/events/v1/events.ts';
import { MAX_PAGE_ROWS } from '../../proto/limits.ts';
import { readDateTime } from '../../tokens/times.ts';
import { erasure } from '../erasure.ts';
import { audit } from './audit.ts';
import type { StoredEvent } from './gathered.ts';
import type { EventsStore, LogRow } from './store.ts';

/** Maximum number of entries in one call of AppendEvents. Beyond it: `invalid`. */
const MAX_ENTRIES = 1_000;

/** Maximum number of accounts in one call of GetHeads. Beyond it: `invalid`. */
const MAX_HEADS = 1_000;

/** The events of each account, as a stream that its clients read at their own pace. */
export function eventsService({ store }: { store: EventsStore }): ServiceOf<typeof EventsServiceDefinition> {
    return {
        async listEvents(request, context) {
            const account = requireUser(context);
            refuseInvalidList(request);
            const { after, limit } = request;
            const types = [...new Set(request.types)]; // a caller may repeat a type very often
            // With types, most events may be of others. The bound of a page bounds how many are passed, too.
            const passed = types.length === 0 ? limit : MAX_PAGE_ROWS;
            return pageOf(await store.list({ account, after, types, limit: passed }, context), { ...request, account });
        },
        async getHeads({ accounts }, context) {
            requireTrusted(context);
            if (accounts.length > MAX_HEADS) throw invalid(`accounts may have at most ${MAX_HEADS} items.`);
            if (!accounts.every(isId)) throw invalid('accounts must be ids of accounts.');
            return { heads: (await store.heads(accounts, context)).map((head) => ({ ...head })) };
        },
        async appendEvents({ entries }, context) {
            requireTrusted(context);
            refuseInvalidEntries(entries);
            await store.append(entries, context);
            return {};
        },
        ...audit(store),
        eraseAccount: erasure(store.erasure),
    };
}

function refuseInvalidList({ after, types, limit }: ListEventsRequest): void {
    if (!Number.isSafeInteger(after) || after < 0) throw invalid('after must be the number of an event, or 0.');
    if (!types.every(isEventType)) throw invalid(`types must be some of ${EVENT_TYPES.join(', ')}.`);
    if (limit < 1 || limit > MAX_PAGE_ROWS) throw invalid(`limit must be a whole number from 1 to ${MAX_PAGE_ROWS}.`);
}

function refuseInvalidEntries(entries: AppendEventsRequest['entries']): void {
    if (entries.length > MAX_ENTRIES) throw invalid(`entries may have at most ${MAX_ENTRIES} items.`);
    const isValid = entries.every(
        ({ entry_id, type, timestamp, events }) =>
            isId(entry_id) &&
            isEventType(type) &&
            readDateTime(timestamp) === timestamp &&
            events.length > 0 &&
            events.every(({ account }) => isId(account)),
    );
    if (!isValid)
        throw invalid(
            'An entry must have an id, a type of events, a time such as 2026-01-31T00:00:00.000Z and at least one event, each with its account.',
        );
    const unstorable = refuseUnstorable(entries);
    if (unstorable) throw unstorable;
}

/** The events of these rows after `after`, up to the limit of the page. */
function pageOf(
    rows: readonly LogRow[],
    { account, after, limit }: ListEventsRequest & { account: string },
): ListEventsResponse {
    const events: Event[] = [];
    let next = after;
    for (const row of rows) {
        const data: StoredEvent[] | undefined = row.data === null ? undefined : JSON.parse(row.data);
        const before = row.last_seq - row.count;
        const first = Math.max(0, next - before); // the first one of the row that the caller does not have
        const taken = data?.slice(first, first + limit - events.length);
        for (const [index, item] of taken?.entries() ?? [])
            events.push(eventOf(row, { account, index: first + index, data: item }));
        next = taken ? before + first + taken.length : row.last_seq;
        if (events.length === limit) break;
    }
    return { events, next };
}

/** The event at `index` of the row. Its id is the same whoever reads it, and no other event has it. */
function eventOf(
    { last_seq, count, type, happened_at }: LogRow,
    { account, index, data: stored }: { account: string; index: number; data: StoredEvent },
): Event {
    const seq = last_seq - count + 1 + index;
    const { timestamp = happened_at, request_id: _, ...data } = stored; // the id of a request is for the audit
    return { event_id: `${account}.${seq}`, seq, type, timestamp, data };
}
