import { dataText } from '../../proto/audit-leaves.ts';
import type { Entry, EventData } from '../../proto/gen/events/v1/events.ts';

/** Number of events in a row of the log. Beyond it: the account's further events are another row. */
export const ROW_EVENTS = 1_000;

/**
 * An event as its row keeps it. `timestamp`: ISO 8601, if it is not that of the row. `request_id`: if it is not that of
 * the event before it.
 */
export type StoredEvent = Partial<EventData> & { timestamp?: string; request_id?: string };

/** The columns of a row: account, type, actor, time of the last event, JSON text of an array of StoredEvent. */
export type NewRow = [account: string, type: string, actor: string | null, timestamp: string, data: string];

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
        const time = new Date(timestamp).toISOString();
        for (const { account, data = {}, actor, request_id } of events)
            runFor(runsOf, account, { type, actor }).push({ timestamp: time, request_id, data });
    }
    return Array.from(runsOf, ([account, runs]) => runs.map((run) => rowOf(account, run))).flat();
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

function rowOf(account: string, { type, actor, events }: Run): NewRow {
    const time = events.at(-1)?.timestamp ?? ''; // no run is empty
    const stored = events.map(
        ({ timestamp, request_id, data }, index): StoredEvent => ({
            ...data,
            ...(timestamp !== time && { timestamp }),
            ...(request_id !== undefined && request_id !== events[index - 1]?.request_id && { request_id }),
        }),
    );
    return [account, type, actor ?? null, time, dataText(stored)];
}
