import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import type { Database } from '../../../platform/postgres/db.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { exposeErasureAge } from '../../../services/identity/erasure/age.ts';
import { finishErasure } from '../../../services/identity/erasure/erasures.store.ts';
import { until } from '../../support/until.ts';
import { erasureFixture } from './erasure.fixture.ts';

const { db, query } = await erasureFixture();
const metrics = createMetrics();
exposeErasureAge(metrics, db);

/** Without an answer of PostgreSQL within half a second, as on a busy machine, the metric is absent. */
async function assertAge(expected: number): Promise<void> {
    let shown = Number.NaN;
    await until('the age is shown', async () => {
        const { text } = await metrics.expose();
        shown = Number(/^erasure_age_seconds (.+)$/m.exec(text)?.[1]);
        return !Number.isNaN(shown);
    });
    assert.ok(Math.abs(shown - expected) < 30, `${shown} instead of ${expected}`);
}

it('the metric erasure_age_seconds grows with the oldest erasure until that is finished', async () => {
    await assertAge(0);
    const [ada, eve] = [randomUUID(), randomUUID()];
    await query(
        `INSERT INTO identity.erasures (account, requested_at, ended_at)
         VALUES ($1, now() - interval '2 hours', now() - interval '2 hours'), ($2, now() - interval '1 hour', NULL)`,
        [ada, eve],
    );
    await assertAge(7_200);
    await finishErasure(db, ada);
    await assertAge(3_600);
    await finishErasure(db, eve);
    await assertAge(0);
});

it('the metric erasure_age_seconds is absent while PostgreSQL does not answer', async () => {
    const other = createMetrics();
    const away = { rows: () => Promise.reject(new Error('away')) } as unknown as Database;
    exposeErasureAge(other, away);
    assert.doesNotMatch((await other.expose()).text, /^erasure_age_seconds/m);
});
