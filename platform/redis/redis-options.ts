import type { RedisOptions } from 'ioredis';

/**
 * TCP keep-alive probes start after this idle time, in milliseconds. Ten unanswered probes, one per second, end the
 * connection to a lost host.
 */
const KEEP_ALIVE_MS = 10_000;
/** Time limit for connecting, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;
/** Time limit for a socket to close in an orderly way, in milliseconds. */
const DISCONNECT_MS = 100;
/**
 * A connection that is silent for longer than this, in milliseconds, is lost. A blocking command of BullMQ takes up to
 * 10 s.
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
