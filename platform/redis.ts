import { createHash } from 'node:crypto';
import { type Command, Redis } from 'ioredis';
import type { Log } from './log.ts';

export type { Redis } from 'ioredis';

/** How long a command may take before the caller goes on without Redis, in milliseconds. */
const COMMAND_TIMEOUT_MS = 500;

/** A connection whose commands fail when Redis does not answer in time. */
class PunctualRedis extends Redis {
    override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
        const sent = super.sendCommand(command, stream);
        this.#limitWait(command);
        return sent;
    }

    /**
     * Unlike the library's own timeout it is fair to Redis: after a stall of this process timers run first, so what has come in
     * meanwhile is read before a verdict is given (on the immediate).
     */
    #limitWait(command: Command): void {
        const giveUp = () => command.reject(new Error('Redis did not answer in time.'));
        const timer = setTimeout(() => setImmediate(giveUp), COMMAND_TIMEOUT_MS);
        const stop = () => clearTimeout(timer);
        command.promise.then(stop, stop);
    }
}

/**
 * A connection that fails fast: a command is refused at once while there is no connection, and is never sent twice. It
 * reconnects for ever in the background.
 */
export function openRedis({ url, log }: { url: string; log: Log }): Redis {
    const redis = new PunctualRedis(url, {
        enableOfflineQueue: false,
        maxRetriesPerRequest: 0,
        autoResendUnfulfilledCommands: false,
        connectTimeout: 2_000,
        retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    });
    redis.on('error', (error: Error) => log.warn({ err: error }, 'redis connection'));
    return redis;
}

/** Resolves when commands can be sent, or when `timeout_ms` are over: its absence at start is survived as any other. */
export async function awaitRedis(redis: Redis, timeout_ms: number): Promise<void> {
    if (redis.status === 'ready') return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeout_ms);
    redis.once('ready', resolve);
    await promise;
    clearTimeout(timer);
    redis.off('ready', resolve);
}

/**
 * The Redis Cluster tag of an account's shard: all keys of one decision carry it, so that its script stays in one slot.
 * FNV-1a of the account's id, modulo the number of shards.
 */
export function shardTag(account: string, shards: number): string {
    let hash = 0x811c9dc5;
    for (let index = 0; index < account.length; index++) {
        hash = Math.imul(hash ^ account.charCodeAt(index), 0x01000193);
    }
    return `{${(hash >>> 0) % shards}}`;
}

/** Runs one Lua script by its hash; sends its text where Redis does not have it yet. */
export function redisScript(redis: Redis, text: string) {
    const sha = createHash('sha1').update(text).digest('hex');
    return async (keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown> => {
        try {
            return await redis.evalsha(sha, keys.length, ...keys, ...args);
        } catch (error) {
            if (!(Error.isError(error) && error.message.startsWith('NOSCRIPT'))) throw error;
            return redis.eval(text, keys.length, ...keys, ...args);
        }
    };
}
