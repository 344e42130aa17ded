import type { RedisOptions } from 'ioredis';

/** An idle connection whose host is lost is noticed after this and ten probes of a second each, in milliseconds. */
const KEEP_ALIVE_MS = 10_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** How long a socket that is given up may take to close in an orderly way, in milliseconds. */
const DISCONNECT_MS = 100;
/** A blocking command of BullMQ takes up to 10 s: a connection that has been silent for longer is lost, in milliseconds. */
const PATIENT_SILENCE_MS = 13_000;

/** Options of a connection: its commands fail at once without Redis, and are never sent twice. */
export const PUNCTUAL = {
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_MS,
    keepAlive: KEEP_ALIVE_MS,
} as const satisfies RedisOptions;

/** Options of a connection: its commands wait for Redis. */
export const PATIENT = {
    maxRetriesPerRequest: null,
    socketTimeout: PATIENT_SILENCE_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
} as const satisfies RedisOptions;

/** The pause before the next attempt to connect, in milliseconds. */
export function retryDelay(attempt: number): number {
    return Math.min(50 * attempt, 500);
}
