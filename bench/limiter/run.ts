import { ask, startChild } from '../children.ts';
import type { Measured } from '../load/run.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import type { Stack } from '../stack.ts';
import { WARMUP_S } from '../warm-up.ts';
import type { LimiterPlan } from './process.ts';

export const LIMITER = 'limiter';

/** Measures the limiter alone. Its process is counted in the first group, which contains the gateway in other jobs. */
export async function runLimiter(
    { redisUrl, groups }: Stack,
    load: { connections: number; seconds: number },
): Promise<Outcome> {
    const [as = ''] = Object.keys(groups);
    const plan: LimiterPlan = { ...load, redisUrl, as, groups: { redis: groups['redis'] ?? [] }, warmupS: WARMUP_S };
    return outcomeOf(LIMITER, await ask<Measured>(startChild(new URL('process.ts', import.meta.url)), plan));
}
