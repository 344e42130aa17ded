import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../../platform/within.ts';
import type { Certified } from '../../test/support/certificates.ts';
import type { Bed } from '../bed.ts';
import { ask, startChild } from '../children.ts';
import { insertAccounts } from '../growth/accounts.ts';
import { times } from '../jobs/job.ts';
import type { EventsOptions } from '../options.ts';
import { cpuOf, difference } from '../proc.ts';
import { fillOutbox } from './outbox.ts';
import type { Received, ReceiversTask } from './receivers.ts';
import type { EventsRow } from './report.ts';

const ENDPOINTS = 1_000;
/** Few enough that their connections are kept. */
const BUSY_ENDPOINTS = 64;
const EVENTS_PER_ENTRY = 64;
/** Number of endpoints that are created at a time. */
const CREATED_AT_ONCE = 16;
/** How often the events of the part `delays` are written, in milliseconds. */
const WRITE_EVERY_MS = 100;
/** Time limit for all deliveries of a row, in milliseconds. Beyond it: the run fails. */
const PATIENCE_MS = 600_000;

interface Receivers extends Disposable {
    /** The endpoint at an index is one of the account at this index. */
    accounts: readonly string[];
    tell<Answer>(task: ReceiversTask): Promise<Answer>;
}

/** Starts receivers, and creates for each of them an account with a webhook. */
export async function openReceivers({ stack, environment }: Bed, certified: Certified): Promise<Receivers> {
    const child: ChildProcess = startChild(new URL('receivers.ts', import.meta.url));
    const tell = <Answer>(task: ReceiversTask) => ask<Answer>(child, task);
    const ports = await tell<number[]>({ start: ENDPOINTS, certified });
    const owners = await insertAccounts(environment.db, ENDPOINTS, stack.jwtKey);
    const waiting = [...owners.entries()];
    const create = async (): Promise<void> => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
            const [index, { api_key: token }] = next;
            const body = { url: `https://127.0.0.2:${ports[index]}/hooks` };
            await environment.world.call({ path: '/v1/webhooks', token, body });
        }
    };
    await Promise.all(times(CREATED_AT_ONCE, create));
    return { accounts: owners.map(({ user_id }) => user_id), tell, [Symbol.dispose]: () => void child.kill() };
}

/** Measures how many events a second are delivered: to few endpoints, and to all. The first row warms up. */
export async function measureDeliveries(bed: Bed, receivers: Receivers, events: number): Promise<EventsRow[]> {
    const entries = Math.ceil(events / EVENTS_PER_ENTRY);
    const rows: EventsRow[] = [];
    for (const endpoints of [BUSY_ENDPOINTS, BUSY_ENDPOINTS, ENDPOINTS]) {
        const accounts = receivers.accounts.slice(0, endpoints);
        const row = await measure(bed, receivers, { uncounted: [], hang: false }, async () => {
            await fillOutbox(bed.environment.db, { entries, perEntry: EVENTS_PER_ENTRY, accounts });
            return entries * EVENTS_PER_ENTRY;
        });
        const { latency: _, ...rate } = row; // it is the length of the backlog
        rows.push({ ...rate, name: `webhooks, ${endpoints.toLocaleString('en')} endpoints` });
    }
    return rows.slice(1);
}

/** Measures the delay of deliveries to nine of ten endpoints, while the others answer, and while they hang. */
export async function measureDelays(
    bed: Bed,
    receivers: Receivers,
    { rate, seconds }: Pick<EventsOptions, 'rate' | 'seconds'>,
): Promise<EventsRow[]> {
    const { accounts } = receivers;
    const rows: EventsRow[] = [];
    const perEntry = Math.ceil((rate * WRITE_EVERY_MS) / 1_000);
    const uncounted = times(ENDPOINTS / 10, (index) => 10 * index);
    for (const hang of [false, true]) {
        const row = await measure(bed, receivers, { uncounted, hang }, async () => {
            let written = 0;
            for (const began = performance.now(); written < rate * seconds; written += perEntry) {
                await delay(Math.max(0, began + (written / rate) * 1_000 - performance.now()));
                await fillOutbox(bed.environment.db, { entries: 1, perEntry, accounts, from: written });
            }
            const indexes = times(written, (index) => index % ENDPOINTS);
            return indexes.filter((index) => index % 10 !== 0).length;
        });
        rows.push({ ...row, name: `900 of 1,000 endpoints, the others ${hang ? 'hang' : 'answer'}` });
    }
    return rows;
}

/** Measures the deliveries of the events that `write` writes. It returns how many deliveries are counted. */
async function measure(
    { stack }: Bed,
    { tell }: Receivers,
    phase: ReceiversTask,
    write: () => Promise<number>,
): Promise<Omit<EventsRow, 'name'>> {
    await tell(phase);
    const cpuBefore = cpuOf(stack.groups);
    const count = await write();
    const { cpuS, ...received } = await within(PATIENCE_MS, tell<Received>({ awaited: count }), () => {
        throw new Error('Some events were not delivered.');
    });
    return { count, ...received, cpuS: { ...difference(cpuBefore, cpuOf(stack.groups)), receivers: cpuS } };
}
