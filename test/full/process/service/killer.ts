import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { TestService, Transport } from '../../../support/service.ts';
import { BATCH_ITEMS, type KeyedCall, subjectOf } from './retrying.ts';

/** Pause between the start of a killed process and the next kill, in milliseconds. */
const PAUSE_MS = 1_000;
/** Time after the start of a process in which calls may still be answered with 503, in milliseconds. */
const RECOVERY_MS = 5_000;
/** The roles that are killed in turn over gRPC, where each of them has its own process. */
export const KILLED_ROLES = ['credentials', 'did', 'gateway'];

interface Victims {
    transport: Transport;
    service: TestService;
    urls: readonly string[];
    /** A connection to the database of the service. */
    db: Client;
}

/** Kills one process after the other while it works on a batch, and starts it again. */
export function killer(victims: Victims) {
    /** The batches that are under way, each with its gateway. */
    const batches = new Map<KeyedCall, number>();
    const state = { count: 0, halfWritten: 0, isDown: false, upSince: -Infinity, hasFailed: false };

    async function kill(call: KeyedCall): Promise<void> {
        const index = processOf(victims, batches.get(call) ?? 0, state.count);
        state.isDown = true;
        const restarted = victims.service.restart(index, 'SIGKILL');
        state.count++;
        if (await isHalfWritten(victims.db, call)) state.halfWritten++;
        await restarted;
        state.upSince = performance.now();
        state.isDown = false;
        await delay(PAUSE_MS);
    }
    /** Waits until a batch is half written. Returns it. */
    async function nextBatch(isOver: () => boolean): Promise<KeyedCall | undefined> {
        while (!isOver()) {
            for (const call of batches.keys()) if (await isHalfWritten(victims.db, call)) return call;
            await delay(1);
        }
        return undefined;
    }
    return {
        batches,
        state,
        /** Whether a call that began at this time may be answered with 503. */
        mayRefuse: (began: number): boolean => state.isDown || began < state.upSince + RECOVERY_MS,
        async runUntil(isOver: () => boolean): Promise<void> {
            try {
                for (let call = await nextBatch(isOver); call; call = await nextBatch(isOver)) await kill(call);
            } catch (error) {
                state.hasFailed = true;
                throw error;
            }
        },
    };
}

/** The process to kill, as an index of `ops`: the gateway of the batch or, in turn, a service. */
function processOf({ transport, service, urls }: Victims, gateway: number, turn: number): number {
    const role = transport === 'grpc' ? KILLED_ROLES[turn % KILLED_ROLES.length] : 'gateway';
    // The gateways come last, in the order of their URLs.
    if (role === 'gateway') return service.ops.length - urls.length + gateway;
    return service.ops.findIndex((process) => process.role === role);
}

/** Whether some credentials of a batch are in the database, and some are not. */
async function isHalfWritten(db: Client, call: KeyedCall): Promise<boolean> {
    const statement = 'SELECT count(*)::int AS count FROM credentials.credentials WHERE subject = $1';
    const { rows } = await db.query<{ count: number }>(statement, [subjectOf(call)]);
    const count = rows[0]?.count ?? 0;
    return count > 0 && count < BATCH_ITEMS;
}
