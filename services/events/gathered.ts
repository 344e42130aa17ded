import { dataText } from '../../proto/audit-leaves.ts';
import type { Entry, EventData } from '../../proto/gen/events/v1/events.ts';

/** Number of events in a row of the log. Beyond it: the account's further events are another row. */
export const ROW_EVENTS = 1_000;

/** An event as its row keeps it. `timestamp`: ISO 8601, if it is not that of the row. */
export type StoredEvent = Partial<EventData> & { timestamp?: string };

/** The columns of a row: account, type, time of the last event, JSON text of an array of StoredEvent. */
export type NewRow = [account: string, type: string, timestamp: string, data: string];

interface Run {
    type: string;
    events: Array<{ timestamp: string; data: Partial<EventData> }>;
}

/**
 * Gathers the events of each account into as few rows as possible. Events of one type that follow each other are one row:
 * an account that issues a hundred credentials in a second then costs one row, not a hundred.
 */
export function gathered(entries: readonly Entry[]): NewRow[] {
    const runsOf = new Map<string, Run[]>();
    for (const { type, timestamp, events } of entries) {
        const time = new Date(timestamp).toISOString();
        for (const { account, data = {} } of events) runFor(runsOf, account, type).push({ timestamp: time, data });
    }
    return Array.from(runsOf, ([account, runs]) => runs.map((run) => rowOf(account, run))).flat();
}

/** The events of the account's last run, or of a new one if that has another type or is full. */
function runFor(runsOf: Map<string, Run[]>, account: string, type: string): Run['events'] {
    const runs = runsOf.get(account) ?? [];
    runsOf.set(account, runs);
    const last = runs.at(-1);
    if (last?.type === type && last.events.length < ROW_EVENTS) return last.events;
    const run: Run = { type, events: [] };
    runs.push(run);
    return run.events;
}

function rowOf(account: string, { type, events }: Run): NewRow {
    const time = events.at(-1)?.timestamp ?? ''; // no run is empty
    const stored = events.map(
        ({ timestamp, data }): StoredEvent => (timestamp === time ? data : { ...data, timestamp }),
    );
    return [account, type, time, dataText(stored)];
}
