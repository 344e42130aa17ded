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
 * A process that measures parts, so that nothing else is in their figures. Its first message is a plan, for which it
 * prepares its parts. Each further message names the parts that it measures next.
 */

export type FloorPlan = {
    /** How long each part is measured. */
    seconds: number;
} & (
    | { kind: 'computing'; logFile: string }
    /** `groups`: the processes of PostgreSQL and Redis. */
    | { kind: 'asking'; databaseUrl: string; redisUrl: string; groups: Groups }
);

/** The parts that each kind of process can measure. */
export const PARTS_OF: Record<FloorPlan['kind'], readonly Part[]> = {
    computing: ['sign', 'verify', 'key_pair', 'argon2id', 'log_line', 'metrics'],
    asking: ['limit', 'find', 'page', 'credential_row', 'did_row', 'presentation_row'],
};

type AllRounds = Partial<Record<Part, Rounds>>;

process.once('message', async (plan: FloorPlan) => {
    const all: AllRounds =
        plan.kind === 'computing'
            ? { ...cryptographyParts(), ...tellingParts(plan.logFile) }
            : { ...(await rowParts(plan.databaseUrl)), limit: await limitPart(await connected(plan.redisUrl)) };
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

async function connected(redisUrl: string): Promise<Redis> {
    const redis = openRedis({ url: redisUrl, log: createLog({ level: 'silent', name: 'floor' }) });
    await awaitRedis(redis, 5_000);
    return redis;
}
