import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { z } from 'zod';
import { DAY_MS } from '../../../platform/days.ts';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { pruneEvents } from '../../../services/events/prune.store.ts';
import { eventsService } from '../../../services/events/service.ts';
import { eventsStore } from '../../../services/events/store.ts';
import { treeIn } from '../../../services/events/tree.store.ts';
import { testContext, testDatabase } from '../../support/harness.ts';

it('events and entries are kept for 400 days, and the numbers continue', async () => {
    const { db } = await testDatabase();
    const store = eventsStore(db);
    const account = randomUUID();
    const entryOf = (days: number) => {
        const at = Date.now() - days * DAY_MS;
        return {
            entry_id: newId(at),
            type: 'key.created',
            timestamp: new Date(at).toISOString(),
            events: [{ account, data: { key_id: `${days} days old` } }],
        };
    };
    const entries = [500, 401, 399, 1].map(entryOf);
    const [first, second, third, last] = entries.map((entry) => [entry]);
    for (const [appended = [], days] of [
        [first, 500],
        [second, 401],
        [third, 399],
    ] as const) {
        await store.append(appended);
        const tree = treeIn(await store.currentTree());
        await store.addCheckpoint({ tree, note: `${days} days old` });
        await db.rows(sql.unsafe`
            UPDATE events.checkpoints SET made_at = now() - make_interval(days => ${days}) WHERE size = ${tree.size}`);
    }
    await store.append(last ?? []);
    // Two rows and their entries, a seal, and the checkpoint before the last one of that time, whose seal stays.
    assert.equal(await pruneEvents(db), 6);
    await store.append([entryOf(0)]);
    const rows = await store.list({ account, after: 0, types: [], limit: 10 });
    assert.deepEqual(
        rows.map(({ last_seq, data }) => [last_seq, data]),
        [
            [3, '[{"key_id":"399 days old"}]'],
            [4, '[{"key_id":"1 days old"}]'],
            [5, '[{"key_id":"0 days old"}]'],
        ],
    );
    const { start, note, end } = await store.auditRange({ from: undefined, to: undefined });
    assert.deepEqual({ start, note }, { start: 4, note: '401 days old' });
    const [service, trusted] = [eventsService({ store }), testContext({ trusted: true })];
    assert.equal((await service.listAudit({ from: start, end }, trusted)).lines[0]?.row?.leaf, start);
    const begunBefore = service.listAudit({ from: start - 1, end }, trusted);
    await assert.rejects(begunBefore, { kind: 'conflict' }, 'an export that misses lines must not look whole');
    const left = await db.rows(sql.type(z.strictObject({ entry_id: z.string() }))`
        SELECT entry_id FROM events.entries ORDER BY entry_id`);
    assert.deepEqual(
        left.slice(0, 2).map(({ entry_id }) => entry_id),
        entries.slice(2).map(({ entry_id }) => entry_id),
    );
});
