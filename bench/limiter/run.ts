import { ask, startChild } from '../children.ts';
import type { Measured } from '../load/run.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import type { Stack } from '../stack.ts';
import { WARMUP_S } from '../warm-up.ts';
import type { LimiterPlan } from './process.ts';

export const LIMITER = 'limiter';

/** Measures the limiter alone; its process stands where the gateway stands in other jobs. */
export async function runLimiter(
    { redis_url, groups }: Stack,
    load: { connections: number; seconds: number },
): Promise<Outcome> {
    const [as = ''] = Object.keys(groups);
    const plan: LimiterPlan = { ...load, redis_url, as, groups: { redis: groups['redis'] ?? [] }, warmup_s: WARMUP_S };
    return outcomeOf(LIMITER, await ask<Measured>(startChild(new URL('process.ts', import.meta.url)), plan));
}
