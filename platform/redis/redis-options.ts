import type { RedisOptions } from 'ioredis';

/** An idle connection to a lost host ends after this (ms) and ten probes of a second each. */
const KEEP_ALIVE_MS = 10_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** Time limit for a socket to close in an orderly way, in milliseconds. */
const DISCONNECT_MS = 100;
/** A blocking command of BullMQ takes up to 10 s. A connection that is silent for longer is lost, in milliseconds. */
const PATIENT_SILENCE_MS = 13_000;

/** Options of a connection whose commands fail at once without Redis and are never sent twice. */
export const PUNCTUAL = {
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_MS,
    keepAlive: KEEP_ALIVE_MS,
} as const satisfies RedisOptions;

/** Options of a connection whose commands wait for Redis. */
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
