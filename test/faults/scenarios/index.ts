import type { Scenario } from '../scenario.ts';
import { postgresStops } from './postgres-stops.ts';

/** Every scenario, in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [...postgresStops];
