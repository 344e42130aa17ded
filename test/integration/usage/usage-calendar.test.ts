import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { PLATFORM } from '../../../services/counts/counts.store.ts';
import { testContext } from '../../support/harness.ts';
import { countingFixture } from './counting.ts';

const clock = { now: Date.parse('2026-03-03T12:00:00.000Z') };
const { db, store, counts, usage, gateway, rollUpAll } = await countingFixture(() => clock.now);
const [TODAY, WEEK] = ['2026-03-03', '2026-02-25'];

async function addDelta(account: string, kind: string, day: string, amount = 1): Promise<void> {
    await db.rows(sql.unsafe`
        INSERT INTO usage.deltas (account, kind, day, amount) VALUES (${account}, ${kind}, ${day}, ${amount})`);
}

it('a week is today and the six days before, for requests and for active accounts, before and after the roll-up', async () => {
    for (const [day, requests] of [
        ['2026-03-04', 1_000],
        [TODAY, 1],
        [WEEK, 10],
        ['2026-02-24', 100],
    ] as const) {
        await addDelta(randomUUID(), 'requests', day, requests);
    }
    for (const _ of ['before', 'after']) {
        const { requests_today, requests_this_week } = await store.requests({ account: PLATFORM, today: TODAY });
        assert.deepEqual([requests_today, requests_this_week], [1, 11]);
        assert.deepEqual(await store.active({ today: TODAY, week: WEEK }), { today: 1, this_week: 2 });
        await rollUpAll();
    }
});

it('a login makes an account active before the roll-up, and other pending counts do not', async () => {
    const before = await store.active({ today: TODAY, week: WEEK });
    await addDelta(randomUUID(), 'logins', TODAY);
    await addDelta(randomUUID(), 'dids_created', TODAY);
    const { today, this_week } = await store.active({ today: TODAY, week: WEEK });
    assert.deepEqual([today - before.today, this_week - before.this_week], [1, 1]);
});

it('counts of an earlier month are in the total but not in this month, before and after the roll-up', async () => {
    const account = randomUUID();
    await addDelta(account, 'requests', '2026-02-28', 3);
    await addDelta(account, 'requests', '2026-03-01', 4);
    const amountsNow = () => counts.requests.byMonth({ account, today: TODAY });
    const expected = [{ kind: 'requests', total: 7, this_month: 4 }];
    assert.deepEqual(await amountsNow(), expected);
    await rollUpAll();
    assert.deepEqual(await amountsNow(), expected);
});

it('a batch that arrives after one of a later day or month counts for its own day, and not for a later one', async () => {
    const [account, keyId] = [randomUUID(), randomUUID()];
    const { admitted, send } = gateway();
    const called = async (time: string, requests: number): Promise<void> => {
        clock.now = Date.parse(time);
        admitted({ user_id: account, key_id: keyId }, requests);
        await send();
    };
    const seenAt = async (time: string) => {
        clock.now = Date.parse(time);
        const context = testContext({ user_id: account });
        const told = await usage.getStatistics({}, context);
        const [key] = (await usage.getKeyUsage({ key_ids: [keyId] }, context)).keys;
        return [
            [told.requests_today, told.requests_this_month],
            [key?.requests_today, key?.requests_this_month],
            key?.last_used_at,
        ];
    };
    await called('2026-05-02T10:00:00.000Z', 5);
    await called('2026-05-01T23:59:59.000Z', 3);
    await called('2026-04-30T23:59:59.000Z', 2);
    const last = '2026-05-02T10:00:00.000Z';
    assert.deepEqual(await seenAt('2026-05-02T11:00:00.000Z'), [[5, 8], [5, 8], last]);
    await called('2026-05-03T00:00:00.000Z', 1);
    assert.deepEqual(await seenAt('2026-05-03T00:00:01.000Z'), [[1, 9], [1, 9], '2026-05-03T00:00:00.000Z']);
    assert.deepEqual(await seenAt('2026-06-01T00:00:00.000Z'), [[0, 0], [0, 0], '2026-05-03T00:00:00.000Z']);
});
