import { createHash } from 'node:crypto';
import { Cluster, Redis as SingleRedis } from 'ioredis';
import type { Log } from '../telemetry/log.ts';
import { clusterNodes, dnsLookup, isClusterUrl, onOtherMasters, openCluster } from './redis-cluster.ts';
import { PATIENT, PUNCTUAL, retryDelay } from './redis-options.ts';
import { sentinelOptions } from './redis-sentinel.ts';
import { limitWait } from './redis-wait.ts';

/** One Redis, or a Redis Cluster, on which all keys of a command have the same hash tag. */
export type Redis = SingleRedis | Cluster;

/**
 * A connection that is replaced when Redis leaves a command unanswered. It is ready again when Redis answers the
 * greeting in time; until then commands fail at once. So the users of Redis in this process wait only once for a Redis
 * that hangs.
 */
class PunctualRedis extends SingleRedis {
    override sendCommand(...[command, stream]: Parameters<SingleRedis['sendCommand']>): unknown {
        const sent = super.sendCommand(command, stream);
        const connection = this.stream;
        limitWait(command, () => {
            if (this.stream === connection) this.disconnect(true);
        });
        return sent;
    }
}

/**
 * A connection that fails fast: a command is refused at once while there is no connection, and is never sent twice. It
 * reconnects in the background, for ever.
 */
export function openRedis({ url, log }: { url: string; log: Log }): Redis {
    const redis = isClusterUrl(url) ? openCluster(url) : openSingle(url);
    logErrors(redis, log, 'redis connection');
    endWatchOnEnd(redis);
    return redis;
}

function openSingle(url: string): SingleRedis {
    const options = { ...PUNCTUAL, enableOfflineQueue: false, retryStrategy: retryDelay };
    const sentinels = sentinelOptions(url);
    return sentinels ? new PunctualRedis({ ...sentinels, ...options }) : new PunctualRedis(url, options);
}

/** A connection for blocking commands, which take as long as BullMQ allows and wait while Redis is unreachable. */
export function openPatientRedis({ url, log }: { url: string; log: Log }): Redis {
    const redis = isClusterUrl(url) ? openPatientCluster(url) : openPatientSingle(url);
    logErrors(redis, log, 'job queue connection');
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

function logErrors(redis: Redis, log: Log, text: string): void {
    for (const event of ['error', 'node error']) redis.on(event, (error: Error) => log.warn({ err: error }, text));
}

/** ioredis begins to watch the sentinels even if it was disconnected while it connected, and would never end that watch. */
export function endWatchOnEnd(redis: Redis): void {
    redis.on('end', () => redis.disconnect());
}

/**
 * Resolves when commands can be sent, or after `timeout_ms`: a Redis that is missing at the start is tolerated like any
 * other outage.
 */
export async function awaitRedis(redis: Redis, timeout_ms: number): Promise<void> {
    await awaitReady(redis, timeout_ms);
    if (!(redis instanceof Cluster)) return;
    await Promise.all(redis.nodes('master').map((node) => awaitReady(node, timeout_ms)));
}

async function awaitReady(redis: Redis, timeout_ms: number): Promise<void> {
    if (redis.status === 'ready') return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeout_ms);
    redis.once('ready', resolve);
    await promise;
    clearTimeout(timer);
    redis.off('ready', resolve);
}

/**
 * Calls `listener` when the next answer may come from a different Redis, or from the same one after a crash: a
 * connection was lost, or a cluster has other masters.
 */
export function onOtherMemory(redis: Redis, listener: () => void): void {
    redis.on('close', listener);
    if (redis instanceof Cluster) onOtherMasters(redis, listener);
}

/**
 * The hash tag of an account's shard. All keys of one decision have it, so that its script stays in one slot. FNV-1a of
 * the account's id, modulo the number of shards.
 */
export function shardTag(account: string, shards: number): string {
    let hash = 0x811c9dc5;
    for (let index = 0; index < account.length; index++) {
        hash = Math.imul(hash ^ account.charCodeAt(index), 0x01000193);
    }
    return `{${(hash >>> 0) % shards}}`;
}

/** Runs one Lua script by its hash. Sends the text if Redis does not have it yet. */
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
