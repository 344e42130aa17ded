import { keyBucket } from '../../platform/access/buckets.ts';
import type { LimitRequest } from '../../platform/access/limit-decision.ts';
import { type Limiter, limiter } from '../../platform/access/limiter.ts';
import { livenessMarkKey } from '../../platform/access/liveness-marks.ts';
import { newId } from '../../platform/ids.ts';
import { awaitRedis, openRedis } from '../../platform/redis/redis.ts';
import { createLog } from '../../platform/telemetry/log.ts';
import { createMetrics } from '../../platform/telemetry/metrics.ts';
import { times } from '../jobs/job.ts';
import type { Measured } from '../load/run.ts';
import { latencyOf } from '../percentiles.ts';
import { cpuOf, difference, type Groups } from '../proc.ts';

/**
 * A process that calls only the gateway's limiter, without HTTP. It keeps `connections` calls in progress, each with a
 * different API key.
 */

export interface LimiterPlan {
    redisUrl: string;
    /** The processes of Redis. */
    groups: Groups;
    /** The name of the group that this process is counted in. */
    as: string;
    connections: number;
    warmupS: number;
    seconds: number;
}

const LIMIT = 1_000_000_000;

process.once('message', async (plan: LimiterPlan) => {
    const log = createLog({ level: 'warn', name: 'limiter' });
    const redis = openRedis({ url: plan.redisUrl, log });
    await awaitRedis(redis, 5_000);
    const own = limiter({ redis, shards: 1, windowMs: 60_000, log, metrics: createMetrics() });
    const claims = times(plan.connections, () => newLimitRequest(own.tag));
    // The first calls learn the current epoch of Redis. The second calls confirm the keys, which counts only in a known
    // epoch.
    for (const limitRequest of claims) await own.take(limitRequest);
    for (const limitRequest of claims) await own.take(limitRequest, { askedAt: performance.now(), byThisCall: true });
    await askFor(plan.warmupS, own, claims);
    const groups = { [plan.as]: [process.pid], ...plan.groups };
    const cpuBefore = cpuOf(groups);
    const began = performance.now();
    const latencies = await askFor(plan.seconds, own, claims);
    const measured: Measured = {
        requests: latencies.length,
        seconds: (performance.now() - began) / 1_000,
        errors: 0,
        firstError: undefined,
        latency: latencyOf(latencies),
        sample: '',
        cpuS: difference(cpuBefore, cpuOf(groups)),
        peakMib: {},
    };
    redis.disconnect();
    process.send?.(measured, () => process.disconnect());
});

/** Repeats each limit request as soon as it is admitted. Returns the time that each call took, in milliseconds. */
async function askFor(seconds: number, { take }: Limiter, claims: readonly LimitRequest[]): Promise<number[]> {
    const latencies: number[] = [];
    const end = performance.now() + seconds * 1_000;
    const ask = async (limitRequest: LimitRequest): Promise<void> => {
        for (let asked = performance.now(); asked < end; asked = performance.now()) {
            const { state } = await take(limitRequest);
            if (state !== 'admitted') throw new Error(`The limiter answered a call with ${state}.`);
            latencies.push(performance.now() - asked);
        }
    };
    await Promise.all(claims.map(ask));
    return latencies;
}

function newLimitRequest(tagOf: (account: string) => string): LimitRequest {
    const [account, keyId] = [newId(), newId()];
    const tag = tagOf(account);
    return {
        tag,
        bucket: keyBucket(tag, account, keyId),
        mark: livenessMarkKey(tag, 'key', keyId),
        limit: LIMIT,
    };
}
