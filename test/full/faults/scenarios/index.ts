import type { Scenario } from '../scenario.ts';
import { blockedLogs } from './blocked-logs.ts';
import { clocks } from './clocks.ts';
import { floods } from './floods.ts';
import { fullDisks } from './full-disks.ts';
import { orderlyStops } from './orderly-stops.ts';
import { poison } from './poison.ts';
import { postgresFailover } from './postgres-failover.ts';
import { postgresSlow } from './postgres-slow.ts';
import { postgresStops } from './postgres-stops.ts';
import { processKills } from './process-kills.ts';
import { redisFaults } from './redis-faults.ts';
import { redisPromotion } from './redis-promotion.ts';
import { rpcFaults } from './rpc-faults.ts';
import { starts } from './starts.ts';
import { stoppedDependencies } from './stopped-dependencies.ts';
import { usageCounts } from './usage-counts.ts';
import { workerThreads } from './worker-threads.ts';

const number = ({ id }: Scenario): number => Number(id.slice(1));

/** All scenarios, in the order of their numbers. */
export const SCENARIOS: readonly Scenario[] = [
    ...processKills,
    ...postgresStops,
    ...postgresSlow,
    ...redisFaults,
    ...workerThreads,
    ...orderlyStops,
    ...clocks,
    ...fullDisks,
    ...blockedLogs,
    ...floods,
    ...rpcFaults,
    ...starts,
    ...usageCounts,
    ...poison,
    ...postgresFailover,
    ...redisPromotion,
    ...stoppedDependencies,
].toSorted((one, other) => number(one) - number(other));
