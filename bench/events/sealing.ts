import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Bed } from '../bed.ts';
import { times } from '../jobs/job.ts';
import { cpuOf, difference } from '../proc.ts';
import { fillOutbox } from './outbox.ts';
import type { EventsRow } from './report.ts';

/** How often the sealed events are counted, in milliseconds. */
const COUNT_EVERY_MS = 50;
/** Time limit for all events of a case, in milliseconds. Beyond it: the run fails. */
const PATIENCE_MS = 300_000;
/** With 10,000 accounts, each event of a call has another one, so none is stored together with others. */
const CASES = [
    { perEntry: 64, accounts: 64 },
    { perEntry: 1, accounts: 64 },
    { perEntry: 1, accounts: 10_000 },
];

/**
 * Writes all events of a case to the outbox at once, and measures how fast they reach the log, from the first progress on.
 * The first case runs twice, once to warm up.
 */
export async function measureSealing(bed: Bed, events: number): Promise<EventsRow[]> {
    const rows: EventsRow[] = [];
    for (const one of [...CASES.slice(0, 1), ...CASES]) rows.push(await measureCase(bed, { ...one, events }));
    return rows.slice(1);
}

async function measureCase(
    { stack, environment: { db } }: Bed,
    { perEntry, accounts, events }: { perEntry: number; accounts: number; events: number },
): Promise<EventsRow> {
    const entries = Math.ceil(events / perEntry);
    const before = await sealedEvents(db);
    await fillOutbox(db, { entries, perEntry, accounts: times(accounts, () => randomUUID()) });
    const progress = async (from: number) => {
        for (const began = performance.now(); performance.now() - began < PATIENCE_MS; await delay(COUNT_EVERY_MS)) {
            const sealed = await sealedEvents(db);
            if (sealed > from) return { sealed, at: performance.now(), cpu: cpuOf(stack.groups) };
        }
        throw new Error('Some events were not sealed.');
    };
    const first = await progress(before);
    const last = await progress(before + entries * perEntry - 1);
    return {
        name: `sealing, ${perEntry} per entry, ${accounts.toLocaleString('en')} accounts`,
        count: last.sealed - first.sealed,
        seconds: (last.at - first.at) / 1_000,
        cpuS: difference(first.cpu, last.cpu),
    };
}

async function sealedEvents(db: Client): Promise<number> {
    const { rows } = await db.query<{ sealed: string | null }>('SELECT sum(seq) AS sealed FROM events.heads');
    return Number(rows[0]?.sealed);
}
