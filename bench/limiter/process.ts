import { type Limiter, limiter } from '../../gateway/admission/limit.ts';
import type { LimitRequest } from '../../gateway/admission/limit-decision.ts';
import { bucketsAwaitingRollUp, keyBucket } from '../../platform/access/limit-record.ts';
import { livenessMarkKey } from '../../platform/access/liveness-marks.ts';
import { newId } from '../../platform/ids.ts';
import { awaitRedis, openRedis } from '../../platform/redis/redis.ts';
import { createLog } from '../../platform/telemetry/log.ts';
import { createMetrics } from '../../platform/telemetry/metrics.ts';
import { times } from '../jobs/job.ts';
import type { Measured } from '../load/run.ts';
import { latencyOf } from '../percentiles.ts';
import { cpuOf, difference, type Groups } from '../proc.ts';

/** The process that asks the gateway's limiter alone, without HTTP: so many calls under way at once, each by another key. */

export interface LimiterPlan {
    redis_url: string;
    /** Redis, and `as`: the name under which this process is counted. */
    groups: Groups;
    as: string;
    connections: number;
    warmup_s: number;
    seconds: number;
}

const LIMIT = 1_000_000_000;

process.once('message', async (plan: LimiterPlan) => {
    const log = createLog({ level: 'warn', name: 'limiter' });
    const redis = openRedis({ url: plan.redis_url, log });
    await awaitRedis(redis, 5_000);
    const own = limiter({ redis, shards: 1, window_ms: 60_000, log, metrics: createMetrics() });
    const claims = times(plan.connections, () => newLimitRequest(own.tag));
    // The first call learns of Redis' era, in which the owner's word then counts.
    for (const limitRequest of claims) await own.take(limitRequest);
    for (const limitRequest of claims) await own.take(limitRequest, performance.now());
    await askFor(plan.warmup_s, own, claims);
    const groups = { [plan.as]: [process.pid], ...plan.groups };
    const cpu_before = cpuOf(groups);
    const began = performance.now();
    const latencies = await askFor(plan.seconds, own, claims);
    const measured: Measured = {
        requests: latencies.length,
        seconds: (performance.now() - began) / 1_000,
        errors: 0,
        first_error: undefined,
        latency: latencyOf(latencies),
        sample: '',
        cpu_s: difference(cpu_before, cpuOf(groups)),
        peak_mib: {},
    };
    redis.disconnect();
    process.send?.(measured, () => process.disconnect());
});

/** Each claim asks again as soon as it is admitted. Gives the time of each call, in milliseconds. */
async function askFor(seconds: number, { take }: Limiter, claims: readonly LimitRequest[]): Promise<number[]> {
    const latencies: number[] = [];
    const end = performance.now() + seconds * 1_000;
    const ask = async (limitRequest: LimitRequest): Promise<void> => {
        for (let asked = performance.now(); asked < end; asked = performance.now()) {
            const { state } = await take(limitRequest);
            if (state !== 'admitted') throw new Error(`The limiter has ${state} a call.`);
            latencies.push(performance.now() - asked);
        }
    };
    await Promise.all(claims.map(ask));
    return latencies;
}

function newLimitRequest(tagOf: (account: string) => string): LimitRequest {
    const [account, key_id] = [newId(), newId()];
    const tag = tagOf(account);
    return {
        tag,
        bucket: keyBucket(tag, account, key_id),
        mark: livenessMarkKey(tag, 'key', key_id),
        awaitingRollUp: bucketsAwaitingRollUp(tag, account),
        limit: LIMIT,
    };
}
