import { awaitRedis, openRedis, type Redis } from '../../platform/redis/redis.ts';
import { createLog } from '../../platform/telemetry/log.ts';
import type { Groups } from '../proc.ts';
import { cryptographyParts } from './cryptography.ts';
import type { Part, PartCosts } from './floor.ts';
import { limitPart } from './limit.ts';
import { measureRounds, type Rounds } from './part.ts';
import { rowParts } from './rows.ts';
import { tellingParts } from './telling.ts';

/**
 * A process in which parts are measured, so that nothing else is in their figures. It makes its parts ready once, and then measures
 * what it is asked for.
 */

export type FloorPlan = {
    /** For which each part is measured. */
    seconds: number;
} & (
    | { kind: 'computing'; log_file: string }
    /** `groups`: PostgreSQL and Redis. */
    | { kind: 'asking'; database_url: string; redis_url: string; groups: Groups }
);

/** What a process can measure. */
export const PARTS_OF: Record<FloorPlan['kind'], readonly Part[]> = {
    computing: ['sign', 'verify', 'key_pair', 'argon2id', 'log_line', 'metrics'],
    asking: ['limit', 'find', 'page', 'credential_row', 'did_row', 'presentation_row'],
};

type AllRounds = Partial<Record<Part, Rounds>>;

process.once('message', async (plan: FloorPlan) => {
    const all: AllRounds =
        plan.kind === 'computing'
            ? { ...cryptographyParts(), ...tellingParts(plan.log_file) }
            : { ...(await rowParts(plan.database_url)), limit: await limitPart(await connected(plan.redis_url)) };
    const groups = plan.kind === 'computing' ? {} : plan.groups;
    process.on('message', async (names: Part[]) => {
        const costs: Partial<PartCosts> = {};
        for (const name of names) {
            const rounds = all[name];
            if (rounds) costs[name] = await measureRounds(rounds, plan.seconds, groups);
        }
        process.send?.(costs);
    });
    process.send?.('ready');
});

async function connected(redis_url: string): Promise<Redis> {
    const redis = openRedis({ url: redis_url, log: createLog({ level: 'silent', name: 'floor' }) });
    await awaitRedis(redis, 5_000);
    return redis;
}
