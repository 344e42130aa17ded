import { createLog } from '../../../platform/log.ts';
import { awaitRedis, openRedis } from '../../../platform/redis.ts';
import type { Groups } from '../proc.ts';
import { cryptographyParts } from './cryptography.ts';
import type { PartCosts } from './floor.ts';
import { limitPart } from './limit.ts';
import { measureRounds } from './part.ts';
import { rowParts } from './rows.ts';
import { tellingParts } from './telling.ts';

/** The process in which parts are measured, so that nothing else is in their figures. */

export interface FloorPlan {
    database_url: string;
    redis_url: string;
    log_file: string;
    /** PostgreSQL and Redis. */
    groups: Groups;
    /** For which each part is measured. */
    seconds: number;
}

process.once('message', async (plan: FloorPlan) => {
    const redis = openRedis({ url: plan.redis_url, log: createLog({ level: 'silent', name: 'floor' }) });
    await awaitRedis(redis, 5_000);
    const costs: Partial<PartCosts> = {};
    {
        await using rows = await rowParts(plan.database_url);
        const parts = {
            ...cryptographyParts(),
            ...tellingParts(plan.log_file),
            ...rows,
            limit: await limitPart(redis),
        };
        for (const [name, rounds] of Object.entries(parts)) {
            costs[name as keyof PartCosts] = await measureRounds(rounds, plan.seconds, plan.groups); // a Part's name
        }
    }
    redis.disconnect();
    process.send?.(costs, () => process.disconnect());
});
