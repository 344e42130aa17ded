import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { type Received, startReceiver } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import { service } from '../support/client.ts';
import { newAccount, newKey } from '../support/world.ts';

const CERTIFIED = JSON.parse(process.env['E2E_RECEIVER'] as string);

/** A webhook of a new account, with its receiver. */
async function delivered(types: string[] = ['key.created']) {
    const receiver = await startReceiver(CERTIFIED);
    const account = await newAccount();
    const me = service.as(account);
    const webhook = await me.webhooks.create({ url: receiver.url, types });
    return { receiver, account, me, ...webhook };
}

/** The body of a delivery, whose signature two other implementations verify. */
function verified(secret: string, { body, headers }: Received): { type: string } {
    new SvixWebhook(secret).verify(body, headers); // returns nothing
    return new StandardWebhook(secret).verify(body, headers) as { type: string };
}

describe('a webhook', () => {
    it('gets the events of its types, which two other implementations verify', async () => {
        await using given = await use(delivered());
        const { me, account, receiver, secret, webhook_id } = given.value;
        const keys = [await newKey(account), await newKey(account), await newKey(account)];
        await me.issuers.create({ name: 'Registrar', method: 'web' }); // of another type
        const received = await receiver.first(3);
        const { events } = await me.events.list({ types: 'key.created' });
        const sent = received.map((request) => [request.headers['webhook-id'], verified(secret, request)] as const);
        assert.deepEqual(
            Object.fromEntries(sent),
            Object.fromEntries(events.map(({ event_id, seq: _, ...event }) => [event_id, event])),
        );
        assert.equal(new Set(events.map(({ data }) => data.key_id)).size, keys.length);
        for (const { headers, body } of received) {
            assert.equal(headers['content-type'], 'application/json');
            assert.ok(Math.abs(Number(headers['webhook-timestamp']) * 1_000 - Date.now()) < 300_000);
            assert.ok(Buffer.byteLength(body) < 20_000);
        }
        await until('all are delivered', async () => {
            const { deliveries } = await me.webhooks.deliveries({ webhook_id, state: 'delivered' });
            return (
                deliveries.length === 3 && deliveries.every(({ status, attempts }) => status === 204 && attempts === 1)
            );
        });
    });

    it('gets an event again when it has failed, and its owner sees why', async () => {
        await using given = await use(delivered());
        const { me, account, receiver, webhook_id } = given.value;
        receiver.reply(() => ({ status: 302, headers: { location: receiver.url } }));
        await newKey(account);
        await receiver.first(1);
        await until('the failure is recorded', async () => {
            const { deliveries } = await me.webhooks.deliveries({ webhook_id, state: 'waiting' });
            return deliveries.some(({ status, next_attempt_at }) => status === 302 && next_attempt_at !== undefined);
        });
        assert.ok((await me.webhooks.get({ webhook_id })).failing_since);
        receiver.reply(() => ({ status: 200 }));
        const [first, second] = await receiver.first(2);
        assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
        await until(
            'it has succeeded',
            async () => (await me.webhooks.get({ webhook_id })).failing_since === undefined,
        );
    });

    it('is disabled by its answer 410, gets nothing then, and is told by an event', async () => {
        await using given = await use(delivered());
        const { me, account, receiver, webhook_id } = given.value;
        receiver.reply(() => ({ status: 410 }));
        await newKey(account);
        await until('it is disabled', async () => (await me.webhooks.get({ webhook_id })).state === 'disabled');
        await until('there is an event', async () => {
            const { events } = await me.events.list({ types: 'webhook.disabled' });
            return events.some(({ data }) => data.webhook_id === webhook_id);
        });
        await assert.rejects(me.webhooks.test({ webhook_id }), /disabled/);
        await newKey(account);
        receiver.reply(() => ({ status: 200 }));
        assert.equal((await me.webhooks.update({ webhook_id, state: 'active' })).state, 'active');
        const [, missed] = await receiver.first(2);
        assert.equal(JSON.parse(missed?.body ?? '').type, 'key.created');
    });

    it('signs with both secrets while a rotation overlaps, and with the new one alone without', async () => {
        await using given = await use(delivered());
        const { me, receiver, webhook_id, secret } = given.value;
        const next = await me.webhooks.rotateSecret({ webhook_id, overlap_seconds: 3_600 });
        await me.webhooks.test({ webhook_id });
        const [both] = await receiver.first(1);
        assert.ok(both);
        assert.equal(both.headers['webhook-signature']?.split(' ').length, 2);
        assert.deepEqual(verified(secret, both), verified(next.secret, both));
        const last = await me.webhooks.rotateSecret({ webhook_id, overlap_seconds: 0 });
        await me.webhooks.test({ webhook_id });
        const [, one] = await receiver.first(2);
        assert.ok(one);
        assert.throws(() => verified(secret, one));
        assert.throws(() => verified(next.secret, one));
        assert.equal(verified(last.secret, one).type, 'webhook.test');
    });

    it('gets events again on demand: one, or those of a time', async () => {
        await using given = await use(delivered());
        const { me, account, receiver, webhook_id } = given.value;
        const from = new Date(Date.now() - 60_000).toISOString();
        await newKey(account);
        await newKey(account);
        const ids = (await receiver.first(2)).map(({ headers }) => headers['webhook-id'] ?? '');
        await me.webhooks.replay({ webhook_id, event_id: ids[0] });
        const [, , again] = await receiver.first(3);
        assert.equal(again?.headers['webhook-id'], ids[0]);
        await me.webhooks.replay({ webhook_id, from, to: new Date(Date.now() + 60_000).toISOString() });
        const replayed = (await receiver.first(5)).slice(3).map(({ headers }) => headers['webhook-id']);
        assert.deepEqual(replayed.sort(), ids.sort());
    });

    it('gets nothing while it is paused, and then what it has missed', async () => {
        await using given = await use(delivered());
        const { me, account, receiver, webhook_id } = given.value;
        await me.webhooks.update({ webhook_id, state: 'paused' });
        const { key_id } = await newKey(account);
        await until('there is an event', async () => (await me.events.list()).events.length > 0);
        assert.equal(receiver.received.length, 0);
        await me.webhooks.update({ webhook_id, state: 'active' });
        const [missed] = await receiver.first(1);
        assert.equal(JSON.parse(missed?.body ?? '').data.key_id, key_id);
    });

    it('that hangs delays no other', async () => {
        await using given = await use(delivered());
        await using hanging = await use(delivered());
        hanging.value.receiver.reply(() => 'hang');
        await Promise.all(Array.from({ length: 12 }, () => newKey(hanging.value.account)));
        await hanging.value.receiver.first(1);
        const began = performance.now();
        await newKey(given.value.account);
        await given.value.receiver.first(1);
        assert.ok(performance.now() - began < 10_000, 'less than a delivery may take');
        assert.equal(hanging.value.receiver.received.length, 1, 'it gets one delivery at a time');
    });
});

/** Closes the receiver at the end of a test. */
async function use<Given extends { receiver: AsyncDisposable }>(given: Promise<Given>) {
    const value = await given;
    return { value, [Symbol.asyncDispose]: () => value.receiver[Symbol.asyncDispose]() };
}
