import { requestCounts } from '../../../platform/access/request-counts.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { COUNTING } from '../../../services/counts/pending.store.ts';
import { rollUp } from '../../../services/counts/roll-up.ts';
import { ACTIVITY } from '../../../services/usage/roll-up.store.ts';
import { usageService } from '../../../services/usage/service.ts';
import { usageStore } from '../../../services/usage/store.ts';
import { usageCounts } from '../../../services/usage/usage-counts.ts';
import { quiet, testContext, testDatabase } from '../../support/harness.ts';

/** The usage service on a database of its own. `gateway` counts requests like a process that serves calls. */
export async function countingFixture(clock: () => number = Date.now) {
    const { db, url } = await testDatabase();
    const store = usageStore(db);
    const counts = usageCounts(() => [db]);
    const usage = usageService({ store, counts, clock });
    const trusted = () => testContext({ trusted: true, user_id: undefined });
    const gateway = () => {
        const record = (batch: Parameters<typeof usage.recordRequests>[0]) => usage.recordRequests(batch, trusted());
        const counts = requestCounts({ record, clock, log: quiet, metrics: createMetrics() });
        return { ...counts, send: counts.stop };
    };
    const rollUpAll = () =>
        Promise.all(COUNTING.map((service) => rollUp(service, db, service === 'usage' ? ACTIVITY : undefined)));
    return { db, url, store, counts, usage, trusted, gateway, rollUpAll };
}
