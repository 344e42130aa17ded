import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { scriptedServer, success } from '../client/scripted-server.ts';
import { ran } from './worlds.ts';

const eventsFrom = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ seq: first + index, type: 'key.created', data: {} }));

/** What `cred events` prints if the service gives these answers, and the queries that it has sent. */
async function listed(t: TestContext, pages: ReadonlyArray<{ events: object[]; next: number }>) {
    const { base_url, received } = await scriptedServer(
        t,
        pages.map((page) => success(page)),
    );
    const args = ['events', '--after', '20', '--types', 'key.created', '--json'];
    const { code, stdout } = await ran(args, { env: { CRED_URL: base_url, CRED_TOKEN: 'token' } });
    assert.equal(code, 0);
    const queries = received.map(({ url = '' }) => Object.fromEntries(new URL(url, base_url).searchParams));
    return { list: JSON.parse(stdout), queries };
}

describe('cred events', () => {
    it('finds an event behind many of other types', async (t) => {
        const [event] = eventsFrom(1_400, 1);
        const { list, queries } = await listed(t, [
            { events: [], next: 1_020 },
            { events: [event ?? {}], next: 1_500 },
            { events: [], next: 1_500 },
        ]);
        assert.deepEqual(list, { events: [event], next: 1_500 });
        assert.deepEqual(queries, [
            { after: '20', types: 'key.created', limit: '1000' },
            { after: '1020', types: 'key.created', limit: '1000' },
            { after: '1500', types: 'key.created', limit: '999' },
        ]);
    });

    it('shows 1,000 events and no more', async (t) => {
        const { list, queries } = await listed(t, [
            { events: eventsFrom(21, 600), next: 1_020 },
            { events: eventsFrom(1_021, 400), next: 1_420 },
        ]);
        assert.deepEqual([list.events.length, list.next], [1_000, 1_420]);
        assert.deepEqual(
            queries.map(({ limit }) => limit),
            ['1000', '400'],
        );
    });
});
