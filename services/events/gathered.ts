import { dataText } from '../../proto/audit-leaves.ts';
import type { Entry, EventData } from '../../proto/gen/events/v1/events.ts';

/** Number of events in a row of the log. Beyond it: the account's further events are another row. */
export const ROW_EVENTS = 1_000;

/**
 * An event as its row keeps it. `timestamp`: ISO 8601, if it is not that of the row. `request_id`: if it is not that of
 * the event before it.
 */
export type StoredEvent = Partial<EventData> & { timestamp?: string; request_id?: string };

/** A row of the log, whose last number is that of the account's last event less `later`. */
export interface NewRow {
    account: string;
    /** Number of the account's events in the rows after it. */
    later: number;
    count: number;
    type: string;
    actor: string | undefined;
    /** ISO 8601. Of the last event. */
    happened_at: string;
    /** JSON text of an array of StoredEvent. */
    data: string;
}

interface Run {
    type: string;
    actor: string | undefined;
    events: Array<{ timestamp: string; request_id: string | undefined; data: Partial<EventData> }>;
}

/**
 * Gathers the events of each account into as few rows as possible. Events of one type and one actor that follow each
 * other are one row: an account that issues a hundred credentials in a second then costs one row, not a hundred.
 */
export function gathered(entries: readonly Entry[]): NewRow[] {
    const runsOf = new Map<string, Run[]>();
    for (const { type, timestamp, events } of entries) {
        for (const { account, data = {}, actor, request_id } of events)
            runFor(runsOf, account, { type, actor }).push({ timestamp, request_id, data });
    }
    return Array.from(runsOf, ([account, runs]) => rowsOf(account, runs)).flat();
}

/** The events of the account's last run, or of a new one if that has another type or actor, or is full. */
function runFor(
    runsOf: Map<string, Run[]>,
    account: string,
    { type, actor }: Pick<Run, 'type' | 'actor'>,
): Run['events'] {
    const runs = runsOf.get(account) ?? [];
    runsOf.set(account, runs);
    const last = runs.at(-1);
    if (last?.type === type && last.actor === actor && last.events.length < ROW_EVENTS) return last.events;
    const run: Run = { type, actor, events: [] };
    runs.push(run);
    return run.events;
}

function rowsOf(account: string, runs: readonly Run[]): NewRow[] {
    let later = runs.reduce((sum, { events }) => sum + events.length, 0);
    return runs.map(({ type, actor, events }) => {
        const count = events.length;
        later -= count;
        const time = events.at(-1)?.timestamp ?? ''; // no run is empty
        return { account, later, count, type, actor, happened_at: time, data: dataText(storedOf(events, time)) };
    });
}

/** `time`: of their row. */
function storedOf(events: Run['events'], time: string): StoredEvent[] {
    return events.map(({ timestamp, request_id, data }, index) => {
        const stored: StoredEvent = { ...data };
        // For most types, the members then have the order of their names, and dataText need not sort them.
        if (request_id !== undefined && request_id !== events[index - 1]?.request_id) stored.request_id = request_id;
        if (timestamp !== time) stored.timestamp = timestamp;
        return stored;
    });
}
