import type { RedisOptions } from 'ioredis';

/**
 * Idle time of a connection before TCP probes the host, in milliseconds. Beyond it: ten unanswered probes, one per
 * second, end the connection.
 */
const KEEP_ALIVE_MS = 10_000;
/**
 * Time limit for connecting, in milliseconds. Beyond it: the process tries again in the background, and calls continue
 * without Redis.
 */
const CONNECT_TIMEOUT_MS = 2_000;
/** Time limit for a socket to close in an orderly way, in milliseconds. Beyond it: the socket is destroyed. */
const DISCONNECT_MS = 100;
/**
 * How long the connection of the job queues may be silent, in milliseconds. A blocking command of BullMQ takes up
 * to 10 s. Beyond it: the connection is replaced.
 */
const PATIENT_SILENCE_MS = 13_000;

/** Options of a connection whose commands fail at once while Redis is unreachable, and are never sent twice. */
export const PUNCTUAL = {
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_MS,
    keepAlive: KEEP_ALIVE_MS,
} as const satisfies RedisOptions;

/** Options of a connection whose commands wait while Redis is unreachable. */
export const PATIENT = {
    maxRetriesPerRequest: null,
    socketTimeout: PATIENT_SILENCE_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
} as const satisfies RedisOptions;

/** Returns the pause before the next attempt to connect, in milliseconds. */
export function retryDelay(attempt: number): number {
    return Math.min(50 * attempt, 500);
}
