import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { withSession } from '../../../platform/postgres/session.ts';
import { eventsStore } from '../../../services/events/store.ts';
import type { IssuedEvent } from '../../../services/outbox/issued-events.ts';
import { appendIssuedEvents, PUBLISHERS, type Publisher } from '../../../services/outbox/outbox.store.ts';
import { relay } from '../../../services/outbox/relay.ts';
import { testContext } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { countRow, relayFixture, waiting } from './relay.fixture.ts';

it('an entry is in its stream once, whenever the relay is interrupted and however often it runs', async () => {
    const { db, events, publish, list } = await relayFixture();
    const account = randomUUID();
    await publish('keys', account, ['a', 'b']);
    const interrupted = {
        async appendEvents(...call: Parameters<typeof events.appendEvents>) {
            await events.appendEvents(...call);
            throw new Error('the answer is lost');
        },
    };
    await assert.rejects(relay('keys', { db, events: interrupted }), /the answer is lost/);
    assert.equal(await waiting(db, 'keys'), 1);
    await publish('keys', account, ['c']);
    await relay('keys', { db, events });
    await relay('keys', { db, events });
    assert.equal(await waiting(db, 'keys'), 0);
    assert.deepEqual(
        (await list(account)).map(({ seq, data }) => [seq, data?.key_id]),
        [
            [1, 'a'],
            [2, 'b'],
            [3, 'c'],
        ],
    );
});

it('the numbers of an account have no gaps, whatever is published and relayed at once', async () => {
    const { db, events, publish, list } = await relayFixture();
    const accounts = [randomUUID(), randomUUID(), randomUUID()];
    const published = PUBLISHERS.flatMap((service) =>
        Array.from({ length: 60 }, async (_, entry) => {
            const account = accounts[entry % accounts.length] as string; // there are three
            const ids = Array.from({ length: 1 + (entry % 4) }, () => randomUUID());
            await publish(service, account, ids);
            return { account, ids };
        }),
    );
    const all = Promise.all(published);
    const relayed = async (service: Publisher): Promise<void> => {
        while ((await Promise.race([all, 'publishing'])) === 'publishing' || (await waiting(db, service)) > 0)
            await relay(service, { db, events });
    };
    await Promise.all([...PUBLISHERS, ...PUBLISHERS].map(relayed)); // two relays of each service
    const expected = Map.groupBy(await all, ({ account }) => account);
    for (const account of accounts) {
        const stream = await list(account);
        const ids = expected.get(account)?.flatMap(({ ids }) => ids) ?? [];
        assert.deepEqual(
            stream.map(({ seq }) => seq),
            ids.map((_, index) => index + 1),
        );
        assert.deepEqual(stream.map(({ data }) => data?.key_id).sort(), ids.sort());
    }
});

it('of issued credentials, those whose rows are written are published', async () => {
    const { db, events, list } = await relayFixture();
    const [ada, eve] = [randomUUID(), randomUUID()];
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
    const [four, refused] = [randomUUID(), randomUUID()];
    const event = (id: string, account = ada): IssuedEvent => {
        return { id, account, cause: ['trusted', 'r-1'], issuer_did: `did:web:${account}` };
    };
    const append = (written: ReadonlyArray<[id: string, account: string | null]>, events: readonly IssuedEvent[]) =>
        db.rows(sql.unsafe`
            WITH written AS (SELECT * FROM ${sql.unnest(written, ['uuid', 'uuid'])} AS rows (id, account))
            ${appendIssuedEvents(events)}`);
    const nobody: [string, null] = [randomUUID(), null];
    await append([[one, ada], nobody], [event(one), event(refused)]);
    await append([[two, eve], [three, ada], [four, eve], nobody], [event(two, eve), event(three), event(four, eve)]);
    await append([], [event(refused)]);
    await append([nobody], []);
    assert.equal(await waiting(db, 'credentials'), 2);
    await relay('credentials', { db, events });
    const shown = async (account: string) =>
        (await list(account)).map(({ seq, type, data }) => [seq, type, data?.credential_id, data?.issuer_did]);
    const expected = (account: string, ...ids: string[]) =>
        ids.map((id, index) => [index + 1, 'credential.issued', `urn:uuid:${id}`, `did:web:${account}`]);
    assert.deepEqual(await shown(ada), expected(ada, one, three));
    assert.deepEqual(await shown(eve), expected(eve, two, four));
});

it('a full outbox is relayed in calls of a bounded size', async () => {
    const { db, events, publish, list } = await relayFixture();
    const account = randomUUID();
    await publish('keys', account, Array(25_000).fill(randomUUID()));
    assert.equal(await waiting(db, 'keys'), 25);
    const lengths: number[] = [];
    const measured = {
        appendEvents(...[request, context]: Parameters<typeof events.appendEvents>) {
            lengths.push(JSON.stringify(request).length);
            return events.appendEvents(request, context);
        },
    };
    await relay('keys', { db, events: measured });
    assert.ok(lengths.length > 1 && Math.max(...lengths) < 1.5 * 2 ** 20, String(lengths));
    assert.equal(await waiting(db, 'keys'), 0);
    const last = await events.listEvents({ after: 24_999, types: [], limit: 2 }, testContext({ user_id: account }));
    assert.deepEqual([last.events.length, last.next, (await list(account)).length], [1, 25_000, 1_000]);
});

it('events of one type that follow each other are one row, in which each keeps its time', async () => {
    const { db, events, list } = await relayFixture();
    const [ada, eve] = [randomUUID(), randomUUID()];
    const entry = (type: string, second: number, ...accounts: string[]) => ({
        entry_id: newId(),
        type,
        timestamp: `2026-11-20T12:00:0${second}.000Z`,
        events: accounts.map((account) => ({ account, data: { key_id: `of second ${second}` } })),
    });
    const entries = [
        entry('key.created', 1, ada, eve, ada),
        entry('key.created', 2, ada),
        entry('key.revoked', 3, ada),
        entry('key.created', 4, eve, ada),
    ];
    const sent = () => events.appendEvents({ entries }, testContext({ trusted: true, user_id: undefined }));
    await sent();
    await sent(); // adds nothing
    const rows = await db.rows(
        sql.type(countRow)`SELECT count(*) AS waiting FROM events.log WHERE account IN (${ada}, ${eve})`,
    );
    assert.deepEqual(rows, [{ waiting: 4 }]);
    const brief = async (account: string) =>
        (await list(account)).map(({ seq, type, timestamp, data }) => [seq, type, timestamp, data?.key_id]);
    assert.deepEqual(await brief(ada), [
        [1, 'key.created', '2026-11-20T12:00:01.000Z', 'of second 1'],
        [2, 'key.created', '2026-11-20T12:00:01.000Z', 'of second 1'],
        [3, 'key.created', '2026-11-20T12:00:02.000Z', 'of second 2'],
        [4, 'key.revoked', '2026-11-20T12:00:03.000Z', 'of second 3'],
        [5, 'key.created', '2026-11-20T12:00:04.000Z', 'of second 4'],
    ]);
    assert.deepEqual(await brief(eve), [
        [1, 'key.created', '2026-11-20T12:00:01.000Z', 'of second 1'],
        [2, 'key.created', '2026-11-20T12:00:04.000Z', 'of second 4'],
    ]);
});

it('a page reads the rows that it needs, and not all that follow', async () => {
    const { db, events } = await relayFixture();
    const account = randomUUID();
    const entryOf = (count: number) => ({
        entry_id: newId(),
        type: 'key.created',
        timestamp: '2026-11-20T12:00:00.000Z',
        events: Array.from({ length: count }, () => ({ account, data: { key_id: 'a' } })),
    });
    await events.appendEvents({ entries: [entryOf(9_500)] }, testContext({ trusted: true, user_id: undefined }));
    const page = { account, after: 1_500, types: [], limit: 1_000 };
    const rows = await eventsStore(db).list(page);
    assert.deepEqual(
        rows.map(({ last_seq, count }) => [last_seq, count]),
        [
            [2_000, 1_000],
            [3_000, 1_000],
        ],
    );
    const { events: read, next } = await events.listEvents({ ...page }, testContext({ user_id: account }));
    assert.deepEqual([read.length, read[0]?.seq, read.at(-1)?.seq, next], [1_000, 1_501, 2_500, 2_500]);
});

it('two calls that append the same new entry at once both succeed, and it is in its stream once', async () => {
    const { db, url, events, publish, list } = await relayFixture();
    const account = randomUUID();
    await publish('keys', account, ['a']);
    await relay('keys', { db, events });
    await publish('keys', account, ['b']);
    const relays = await withSession(url, {}, async (client) => {
        await client.query('BEGIN');
        await client.query('SELECT FROM events.heads WHERE account = $1 FOR UPDATE', [account]);
        const both = [relay('keys', { db, events }), relay('keys', { db, events })];
        await until('both have read the log and wait for the account', async () => {
            const [row] = await db.rows(sql.type(countRow)`
                SELECT count(*) AS waiting FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'`);
            return row?.waiting === 2;
        });
        return both;
    });
    await Promise.all(relays);
    assert.deepEqual(
        (await list(account)).map(({ seq, data }) => [seq, data?.key_id]),
        [
            [1, 'a'],
            [2, 'b'],
        ],
    );
});

it('only trusted callers append events, and only valid ones', async () => {
    const { events } = await relayFixture();
    const entry = {
        entry_id: randomUUID(),
        type: 'key.created',
        timestamp: '2026-11-20T12:00:00.000Z',
        events: [{ account: randomUUID(), data: {} }],
    };
    const trusted = testContext({ trusted: true, user_id: undefined });
    await assert.rejects(events.appendEvents({ entries: [entry] }, testContext({})), { kind: 'forbidden' });
    const nobodys = [{ account: '', data: {} }];
    for (const wrong of [{ entry_id: 'x' }, { type: 'x' }, { timestamp: 'now' }, { events: [] }, { events: nobodys }])
        await assert.rejects(events.appendEvents({ entries: [{ ...entry, ...wrong }] }, trusted), { kind: 'invalid' });
    const many = Array.from({ length: 1_001 }, () => entry);
    await assert.rejects(events.appendEvents({ entries: many }, trusted), { kind: 'invalid' });
    await events.appendEvents({ entries: [] }, trusted);
});
