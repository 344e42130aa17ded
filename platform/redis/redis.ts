import { hash } from 'node:crypto';
import { Cluster, Redis as SingleRedis } from 'ioredis';
import type { Log } from '../telemetry/log.ts';
import { within } from '../within.ts';
import { clusterNodes, dnsLookup, isClusterUrl, onOtherMasters, openCluster } from './redis-cluster.ts';
import { PATIENT, PUNCTUAL, retryDelay } from './redis-options.ts';
import { sentinelOptions } from './redis-sentinel.ts';
import { limitWait } from './redis-wait.ts';

/**
 * A connection to one Redis or to a Redis Cluster. All keys of a command must have the same hash tag, as a cluster
 * requires.
 */
export type Redis = SingleRedis | Cluster;

/**
 * A connection that is replaced when Redis does not answer a command in time. Until the new connection is ready,
 * commands fail at once. So a Redis that hangs makes this process wait only once.
 */
class PunctualRedis extends SingleRedis {
    /** Another number for each connection, and for the time after a connection was given up. */
    #connection = 0;

    override sendCommand(...[command, stream]: Parameters<SingleRedis['sendCommand']>): unknown {
        const sent = super.sendCommand(command, stream);
        const connection = this.#connection;
        limitWait(command, () => {
            // The first command without an answer gives the connection up. A second time would end the reconnection.
            if (this.#connection === connection) this.disconnect(true);
        });
        return sent;
    }

    override disconnect(reconnect?: boolean): void {
        this.#connection++;
        super.disconnect(reconnect);
    }
}

/**
 * Opens a connection that fails fast: while Redis is unreachable, commands fail at once, and no command is sent twice.
 * It reconnects in the background, without a limit of attempts.
 */
export function openRedis({ url, log }: { url: string; log: Log }): Redis {
    const redis = isClusterUrl(url) ? openCluster(url) : openSingle(url);
    logErrors(redis, log, 'redis connection error');
    endWatchOnEnd(redis);
    return redis;
}

function openSingle(url: string): SingleRedis {
    const options = { ...PUNCTUAL, enableOfflineQueue: false, retryStrategy: retryDelay };
    const sentinels = sentinelOptions(url);
    return sentinels ? new PunctualRedis({ ...sentinels, ...options }) : new PunctualRedis(url, options);
}

/**
 * Opens a connection for blocking commands, which take as long as BullMQ allows and wait while Redis is unreachable.
 */
export function openPatientRedis({ url, log }: { url: string; log: Log }): Redis {
    const redis = isClusterUrl(url) ? openPatientCluster(url) : openPatientSingle(url);
    logErrors(redis, log, 'job queue connection error');
    endWatchOnEnd(redis);
    return redis;
}

function openPatientSingle(url: string): SingleRedis {
    const sentinels = sentinelOptions(url);
    return sentinels ? new SingleRedis({ ...sentinels, ...PATIENT }) : new SingleRedis(url, PATIENT);
}

function openPatientCluster(url: string): Cluster {
    const { nodes, access } = clusterNodes(url);
    return new Cluster(nodes, { dnsLookup, redisOptions: { ...access, ...PATIENT } });
}

/** Logs an error when it differs from the one before: each attempt to connect fails in the same way. */
function logErrors(redis: Redis, log: Log, text: string): void {
    let logged = '';
    const report = (error: NodeJS.ErrnoException): void => {
        const kind = `${error.code} ${error.message}`;
        if (kind !== logged) log.warn({ err: error }, text);
        logged = kind;
    };
    for (const event of ['error', 'node error']) redis.on(event, report);
    redis.on('ready', () => {
        logged = '';
    });
}

/**
 * Ends ioredis's watch of the sentinels when the connection ends. ioredis starts this watch even on a connection that
 * was disconnected while it connected, and would then never end it.
 */
export function endWatchOnEnd(redis: Redis): void {
    redis.on('end', () => redis.disconnect());
}

/**
 * Resolves when commands can be sent, or after `timeoutMs`: a Redis that is unreachable at the start is tolerated like
 * any other outage.
 */
export async function awaitRedis(redis: Redis, timeoutMs: number): Promise<void> {
    await awaitReady(redis, timeoutMs);
    if (!(redis instanceof Cluster)) return;
    await Promise.all(redis.nodes('master').map((node) => awaitReady(node, timeoutMs)));
}

async function awaitReady(redis: Redis, timeoutMs: number): Promise<void> {
    if (redis.status === 'ready') return;
    const { promise, resolve } = Promise.withResolvers<void>();
    redis.once('ready', resolve);
    await within(timeoutMs, promise);
    redis.off('ready', resolve);
}

/**
 * Calls `listener` when the next answer may come from a different Redis, or from the same one after a crash: when a
 * connection was lost, or a cluster has other masters.
 */
export function onOtherMemory(redis: Redis, listener: () => void): void {
    redis.on('close', listener);
    if (redis instanceof Cluster) onOtherMasters(redis, listener);
}

/**
 * Returns the hash tag of an account's shard: FNV-1a of the account's id, modulo the number of shards. All keys of a
 * script have the same tag, so that they are in one slot.
 */
export function shardTag(account: string, shards: number): string {
    let hash = 0x811c9dc5;
    for (let index = 0; index < account.length; index++) {
        hash = Math.imul(hash ^ account.charCodeAt(index), 0x01000193);
    }
    return `{${(hash >>> 0) % shards}}`;
}

/** Returns a function that runs a Lua script by its hash. It sends the text if Redis does not have the script yet. */
export function redisScript(redis: Redis, text: string) {
    const sha = hash('sha1', text);
    return async (keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown> => {
        try {
            return await redis.evalsha(sha, keys.length, ...keys, ...args);
        } catch (error) {
            if (!(Error.isError(error) && error.message.startsWith('NOSCRIPT'))) throw error;
            return redis.eval(text, keys.length, ...keys, ...args);
        }
    };
}
