import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { exposeAge } from '../../../services/credentials/status-lists/age.ts';
import { until } from '../../support/until.ts';
import { startListing } from './status-lists.fixture.ts';

const { db, lists, publisher, issueListed, revoke } = await startListing();

describe('the metric status_list_age_seconds', () => {
    const metrics = createMetrics();
    exposeAge(metrics, [lists]);
    /** Without an answer of PostgreSQL within half a second, as on a busy machine, the metric is absent. */
    async function assertAges(expected: { revocation: number; signature: number }): Promise<void> {
        let text = '';
        await until('the ages are shown', async () => {
            ({ text } = await metrics.expose());
            return /^status_list_age_seconds/m.test(text);
        });
        for (const [due, age] of Object.entries(expected)) {
            const shown = Number(new RegExp(`^status_list_age_seconds{due="${due}"} (.+)$`, 'm').exec(text)?.[1]);
            assert.ok(Math.abs(shown - age) < 30, `${due}: ${shown} instead of ${age}`);
        }
    }

    it('grows with the oldest revocation that no list shows, until it is published', async () => {
        await publisher.run();
        await assertAges({ revocation: 0, signature: 0 });
        await revoke(await issueListed());
        await db.rows(sql.unsafe`UPDATE credentials.status_changes SET made_at = made_at - interval '90 seconds'`);
        await assertAges({ revocation: 90, signature: 0 });
        await publisher.run();
        await assertAges({ revocation: 0, signature: 0 });
    });

    it('grows when a list should have been signed again, until it is', async () => {
        await db.rows(sql.unsafe`
            UPDATE credentials.status_publications SET issued_at = issued_at - interval '13 hours'`);
        await assertAges({ revocation: 0, signature: 3_600 });
        await publisher.run();
        await assertAges({ revocation: 0, signature: 0 });
    });

    it('is absent while PostgreSQL does not answer', async () => {
        const other = createMetrics();
        exposeAge(other, [lists, { readAges: () => Promise.reject(new Error('away')) }]);
        assert.doesNotMatch((await other.expose()).text, /^status_list_age_seconds/m);
    });
});
