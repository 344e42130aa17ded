import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { lanesStore } from '../../../services/webhooks/delivery/lanes.store.ts';
import { ATTEMPTS_AT_MS } from '../../../services/webhooks/delivery/schedule.ts';
import type { Delivery } from '../../../services/webhooks/sender/sender.ts';
import { testContext } from '../../support/harness.ts';
import { answer, lanesFixture, OK } from './lanes.fixture.ts';

const { db, clock, store, open, newEndpoint, append } = await lanesFixture();

const idOf = ({ headers }: Delivery) => headers['webhook-id'];

describe('a webhook', () => {
    it('gets each event once, in deliveries of which at most eight are under way', async () => {
        const webhook = await newEndpoint();
        await append(webhook.account, 700);
        const sent: Delivery[] = [];
        let [underWay, most] = [0, 0];
        const { serve, lanes } = open(async (delivery) => {
            most = Math.max(most, ++underWay);
            sent.push(delivery);
            await new Promise((resolve) => setImmediate(resolve));
            underWay--;
            return OK;
        });
        assert.ok((await serve()).includes(webhook.id));
        assert.equal(sent.length, 700);
        assert.equal(new Set(sent.map(idOf)).size, 700);
        assert.equal(most, 8);
        assert.deepEqual(await lanes.lease(100, new Date(clock.now + 1e9).toISOString()), [], 'nothing is due');
        const states = new Set((await webhook.deliveries()).map(({ state, attempts }) => `${state} ${attempts}`));
        assert.deepEqual([...states], ['delivered 1']);
    });

    it('is attempted on the schedule, and the delivery has then failed for good', async () => {
        const webhook = await newEndpoint();
        await append(webhook.account, 1);
        const times: number[] = [];
        const began = clock.now;
        const { serve } = open(async () => {
            times.push(clock.now - began);
            return answer(500);
        });
        for (const atMs of ATTEMPTS_AT_MS) {
            clock.now = began + atMs - 1;
            if (atMs > 0) await serve();
            clock.now = began + atMs;
            await serve();
        }
        assert.deepEqual(times, ATTEMPTS_AT_MS);
        clock.now = began + 3 * 86_400_000;
        assert.ok(!(await serve()).includes(webhook.id), 'nothing is due any more');
        const [delivery] = await webhook.deliveries();
        const { state, attempts, status, due_at } = delivery ?? {};
        assert.deepEqual(
            { state, attempts, status, due_at },
            { state: 'failed', attempts: 10, status: 500, due_at: null },
        );
    });

    it('is paused after five days of failures, with an event, and gets everything when it is active again', async () => {
        const webhook = await newEndpoint();
        const sent: string[] = [];
        let fails = true;
        const { serve } = open(async (delivery) => {
            if (!fails) sent.push(delivery.body);
            return fails ? answer(503) : OK;
        });
        for (let day = 0; day <= 5; day++) {
            await append(webhook.account, 1);
            await serve();
            clock.now += 86_400_000;
        }
        assert.equal((await webhook.find())?.state, 'paused');
        const published = await db.rows(sql.unsafe`
            SELECT data::text AS data FROM webhooks.outbox
            WHERE type = 'webhook.paused' AND data @> jsonb_build_array(jsonb_build_object('webhook_id', ${webhook.id}::text))`);
        assert.equal(published.length, 1);
        await append(webhook.account, 3);
        assert.ok(!(await serve()).includes(webhook.id));
        fails = false;
        await webhook.change('active');
        await serve();
        assert.ok(sent.length >= 4, `${sent.length} were sent`);
        assert.equal((await webhook.find())?.failing_since, null);
    });

    it('gets one delivery at a time until one has succeeded, so those that hang have few places', async () => {
        const webhook = await newEndpoint();
        await append(webhook.account, 20);
        const hanging = new AbortController();
        let underWay = 0;
        const { serve } = open(
            (_delivery, signal) =>
                new Promise((resolve) => {
                    underWay++;
                    assert.equal(underWay, 1);
                    signal?.addEventListener('abort', () => resolve({ kind: 'failed', reason: 'It was broken off.' }));
                    setImmediate(() => hanging.abort());
                }),
        );
        await serve(hanging.signal);
        assert.ok(
            (await webhook.deliveries()).every(({ attempts }) => attempts === 0),
            'what is broken off counts not',
        );
        const again: string[] = [];
        await open(async (delivery) => {
            again.push(idOf(delivery) as string);
            return OK;
        }).serve();
        assert.equal(again.length, 20);
    });

    it('belongs to one process, and to another one when the lease has ended', async () => {
        const webhook = await newEndpoint();
        await append(webhook.account, 1);
        const [first, second] = [open(async () => OK), open(async () => OK)];
        const now = new Date(clock.now).toISOString();
        await webhook.change('active');
        assert.deepEqual(await first.lanes.lease(10, now), [webhook.id]);
        assert.deepEqual(await second.lanes.lease(10, now), []);
        await db.rows(sql.unsafe`UPDATE webhooks.endpoints SET leased_until = now() WHERE id = ${webhook.id}`);
        assert.deepEqual(await second.lanes.lease(10, now), [webhook.id]);
        assert.deepEqual(await first.lanes.extend([webhook.id]), []);
        assert.equal(await first.lanes.read(webhook.id, now), undefined);
        assert.ok(await second.lanes.read(webhook.id, now));
        assert.equal(await first.lanes.release({ id: webhook.id, wakes: 'any' }), false);
    });

    it('that has a thousand deliveries waiting leaves further events in the stream, and accepts no tests, until there is room', async () => {
        const webhook = await newEndpoint();
        await append(webhook.account, 1_500);
        const { serve } = open(async () => answer(500));
        for (let times = 0; times < 12; times++) {
            await serve();
            clock.now += 61_000;
        }
        const waiting = await webhook.deliveries();
        assert.ok(waiting.length >= 1_000 && waiting.length < 1_200, `${waiting.length} wait`);
        const delivery = { id: randomUUID(), event_id: 'test.2', type: 'webhook.test', body: '{}' };
        const own = { account: webhook.account, id: webhook.id, now: new Date(clock.now).toISOString() };
        await assert.rejects(store.enqueue({ ...own, delivery }, testContext()), { kind: 'conflict' });
        const sent = new Set<string>();
        clock.now += 7_200_000;
        await open(async (delivery) => {
            sent.add(idOf(delivery) as string);
            return OK;
        }).serve();
        assert.equal(sent.size, 1_500);
    });

    it('is served again if something is added while its lane ends', async () => {
        const webhook = await newEndpoint();
        const { lanes } = open(async () => OK);
        const now = new Date(clock.now).toISOString();
        const own = { id: webhook.id, account: webhook.account };
        await webhook.change('active');
        await lanes.lease(10, now);
        const read = await lanes.read(webhook.id, now);
        assert.ok(read);
        const delivery = { id: randomUUID(), event_id: 'test.1', type: 'webhook.test', body: '{}' };
        await store.enqueue({ ...own, now, delivery }, testContext());
        assert.equal(await lanes.release({ id: webhook.id, wakes: read.wakes }), false);
        const due = await lanes.due(webhook.id, 10, now);
        assert.deepEqual(
            due.map(({ event_id }) => event_id),
            ['test.1'],
        );
    });

    it('is served again if something is added while its lane gives it back in any case', async () => {
        const webhook = await newEndpoint();
        const now = new Date(clock.now).toISOString();
        const delivery = { id: randomUUID(), event_id: 'test.1', type: 'webhook.test', body: '{}' };
        const reading: Database = {
            ...db,
            async rows(...query) {
                const rows = await db.rows(...query);
                if (query[0].sql.includes('min(due_at)'))
                    await store.enqueue({ ...webhook, now, delivery }, testContext());
                return rows;
            },
        };
        const lanes = lanesStore(reading, randomUUID());
        await webhook.change('active');
        await lanes.lease(10, now);
        assert.equal(await lanes.release({ id: webhook.id, wakes: 'any' }), true);
        assert.ok((await lanes.lease(10, now)).includes(webhook.id));
    });
});
