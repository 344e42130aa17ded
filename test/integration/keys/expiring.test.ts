import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { DAY_MS } from '../../../platform/days.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { expiryJob } from '../../../services/keys/expiring/jobs.ts';
import { testContext } from '../../support/harness.ts';
import { buildKeys, keysFixture } from './keys.fixture.ts';

const { db, redis } = await keysFixture();
const start = Date.now();
const clock = { now: start };
const keys = buildKeys({ db, redis, clock: () => clock.now });
const inDays = (days: number): string => new Date(start + days * DAY_MS).toISOString();
const runJob = () => expiryJob({ db, clock: () => clock.now })['expire']?.run();

const entryRow = z.strictObject({ data: z.string() });

/** The ids of the keys whose expiry has been told since the last call, sorted. */
async function told(): Promise<string[]> {
    await Promise.all([runJob(), runJob()]); // as two processes would
    const entries = await db.rows(sql.type(entryRow)`
        DELETE FROM keys.outbox WHERE type = 'key.expiring' RETURNING data::text AS data`);
    const events: Array<{ key_id: string }> = entries.flatMap(({ data }) => JSON.parse(data));
    return events.map(({ key_id }) => key_id).sort();
}

it('the owner of a key is told once that it expires within seven days, and again if that changes', async () => {
    const context = testContext();
    const generate = async (expiresAt?: string) =>
        (await keys.generate({ name: 'a', expires_at: expiresAt }, context)).key_id;
    const soon = await generate(inDays(8));
    const replaced = await generate(inDays(8));
    const revoked = await generate(inDays(8));
    await generate(inDays(30));
    await generate();
    assert.deepEqual(await told(), []);
    clock.now = start + 1.5 * DAY_MS;
    const { key: successor } = await keys.rotate({ key_id: replaced, overlap_seconds: 86_400 }, context);
    await keys.revoke({ key_id: revoked }, context);
    assert.deepEqual(await told(), [soon, successor?.key_id].sort());
    assert.deepEqual(await told(), []);
    await keys.restrict({ key_id: soon, expires_at: inDays(8.25) }, context);
    assert.deepEqual(await told(), [soon]);
    clock.now = start + 9 * DAY_MS;
    assert.deepEqual(await told(), []);
});
