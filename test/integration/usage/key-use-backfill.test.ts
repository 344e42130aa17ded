import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { testContext } from '../../support/harness.ts';
import { countingFixture } from './counting.ts';

const NOW = Date.parse('2031-05-14T12:00:00.000Z');
const { db, usage } = await countingFixture(() => NOW);
const MIGRATION = readFileSync('services/usage/migrations/003_key_use_backfill.sql', 'utf8');

it('the migration takes over when keys were last used, and their requests of the last day and month', async () => {
    const [account, recent, earlier, never] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const add = (keyOrSessions: string, day: string, life: number, requests: number) =>
        db.rows(sql.unsafe`
            INSERT INTO usage.requests (bucket, account, day, life, requests, refused, verified, last_used_at)
            VALUES (${`limit:{3}:${account}:${keyOrSessions}`}, ${account}, ${day}, ${life}, ${requests}, 1, 1,
                    ${requests > 0 ? `${day}T10:00:0${life}.000Z` : null})`);
    await add(`key:${recent}`, '2031-05-14', 1, 4);
    await add(`key:${recent}`, '2031-05-14', 2, 5);
    await add(`key:${recent}`, '2031-05-01', 1, 2);
    await add(`key:${recent}`, '2031-04-30', 1, 100);
    await add(`key:${earlier}`, '2031-04-30', 1, 7);
    await add(`key:${never}`, '2031-05-14', 1, 0);
    await add('sessions', '2031-05-14', 1, 9);
    await db.rows({ ...sql.unsafe`SELECT 1`, sql: MIGRATION });
    const keyIds = [recent, earlier, never];
    assert.deepEqual((await usage.getKeyUsage({ key_ids: keyIds }, testContext({ user_id: account }))).keys, [
        { key_id: recent, requests_today: 9, requests_this_month: 11, last_used_at: '2031-05-14T10:00:02.000Z' },
        { key_id: earlier, requests_today: 0, requests_this_month: 0, last_used_at: '2031-04-30T10:00:01.000Z' },
        { key_id: never, requests_today: 0, requests_this_month: 0, last_used_at: undefined },
    ]);
});
