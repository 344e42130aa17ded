import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { newId } from '../../../platform/ids.ts';
import { eventsService } from '../../../services/events/service.ts';
import { eventsStore } from '../../../services/events/store.ts';
import { testContext } from '../../support/harness.ts';
import { eraseAll, erasureFixture, trusted } from './erasure.fixture.ts';

const { db, query } = await erasureFixture();
const service = eventsService({ store: eventsStore(db) });

const entryOf = (account: string, ids: string[], type = 'key.created') => ({
    entry_id: newId(),
    type,
    timestamp: '2026-11-20T12:00:00.000Z',
    events: ids.map((id) => ({ account, data: { key_id: id } })),
});

async function listed(account: string) {
    const { events } = await service.listEvents(
        { after: 0, types: [], limit: 1_000 },
        testContext({ user_id: account }),
    );
    return events.map(({ seq, type, data }) => [seq, type, data?.key_id]);
}

it('the events of an erased account have no data and keep their numbers, also those that are appended later', async () => {
    const [ada, eve] = [randomUUID(), randomUUID()];
    await service.appendEvents({ entries: [entryOf(ada, ['a', 'b']), entryOf(eve, ['c'])] }, trusted());
    assert.equal(await eraseAll(service.eraseAccount, ada), 1);
    const late = [entryOf(ada, ['d']), entryOf(eve, ['e']), entryOf(ada, ['f'], 'account.erased')];
    await service.appendEvents({ entries: late }, trusted());
    assert.equal(await eraseAll(service.eraseAccount, ada), 1);
    assert.deepEqual(await listed(ada), [
        [1, 'key.created', undefined],
        [2, 'key.created', undefined],
        [3, 'key.created', undefined],
        [4, 'account.erased', undefined],
    ]);
    assert.deepEqual(await listed(eve), [
        [1, 'key.created', 'c'],
        [2, 'key.created', 'e'],
    ]);
});

it('many events are emptied in several calls, and an account without events is erased, too', async () => {
    const [ada, nobody] = [randomUUID(), randomUUID()];
    await query(
        `INSERT INTO events.log (account, last_seq, count, type, happened_at, data)
         SELECT $1, 2 * n, 2, 'key.created', now(), '[{"key_id": "a"}, {"key_id": "b"}]' FROM generate_series(1, 2500) AS n`,
        [ada],
    );
    await query('INSERT INTO events.heads (account, seq) VALUES ($1, 5000)', [ada]);
    assert.equal(await eraseAll(service.eraseAccount, ada), 3);
    const contents = await query('SELECT DISTINCT data FROM events.log WHERE account = $1', [ada]);
    assert.deepEqual(contents, [{ data: '[{},{}]' }]);
    assert.equal(await eraseAll(service.eraseAccount, nobody), 1);
    await service.appendEvents({ entries: [entryOf(nobody, ['g'])] }, trusted());
    assert.deepEqual(await listed(nobody), [[1, 'key.created', undefined]]);
});
