import type { Database } from '../../../platform/postgres/db.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { idempotencies } from '../../../services/idempotency/idempotency.ts';

/** The pepper of the tests. */
export const PEPPER = 'the pepper of these tests';

/** The idempotency of each service, as one process builds it. */
export function testIdempotency(db: Database, clock: () => number = Date.now) {
    const config = loadConfig({ IDEMPOTENCY_PEPPER: PEPPER });
    return idempotencies({ config, databasesOf: () => [db], metrics: createMetrics(), clock });
}
