import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/until.ts';
import { expectError, expectOk, service } from '../support/client.ts';
import { database } from '../support/database.ts';
import { aKey, newAccount } from '../support/world.ts';
import { aWebhook, DEAF_URL } from './webhook-examples.ts';

describe('/v1/webhooks', () => {
    it('shows the secret once, and everything else again', async () => {
        const { token, secret, ...created } = await aWebhook();
        assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
        const me = service.as({ token });
        assert.deepEqual(await me.webhooks.get({ webhook_id: created.webhook_id }), created);
        assert.deepEqual(await me.webhooks.list(), { webhooks: [created], total: 1 });
        const changed = await me.webhooks.update({ webhook_id: created.webhook_id, types: ['key.revoked'] });
        assert.deepEqual(changed, { ...created, types: ['key.revoked'] });
    });

    it('repeats the answer to the same Idempotency-Key, with the secret', async () => {
        const me = service.as(await newAccount());
        const options = { idempotency_key: 'a-key-that-nobody-guesses-7c1d9a5e' };
        const types = ['key.created', 'key.revoked'] as const;
        const first = await me.webhooks.create({ url: DEAF_URL, types: [...types] }, options);
        const inAnotherForm = { url: DEAF_URL.replace('https', 'HTTPS'), types: [...types.toReversed(), types[0]] };
        assert.deepEqual(await me.webhooks.create(inAnotherForm, options), first);
        const { webhook_id } = first;
        const rotated = await me.webhooks.rotateSecret({ webhook_id, overlap_seconds: 60 }, options);
        assert.deepEqual(await me.webhooks.rotateSecret({ webhook_id, overlap_seconds: 60 }, options), rotated);
        assert.notEqual(rotated.secret, first.secret);
        assert.equal((await me.webhooks.list()).total, 1);
    });

    it('refuses a URL that nothing can be delivered to, and unknown types', async () => {
        const { token } = await newAccount();
        const refused = (body: object) => expectError(400, { method: 'POST', path: '/v1/webhooks', token, body });
        for (const url of [
            'http://shop.example/hooks',
            'https://10.1.2.3/hooks',
            'https://[::ffff:10.1.2.3]/hooks',
            'https://0x0a010203/',
            'https://user:pass@shop.example/',
            'https://shop.example:22/',
            `https://shop.example/${'a'.repeat(2_048)}`,
            'shop.example',
        ])
            assert.match((await refused({ url })).body.error, /^url /);
        assert.match((await refused({ url: DEAF_URL, types: ['key.made'] })).body.error, /types/);
        assert.match((await refused({ url: DEAF_URL, description: 'a'.repeat(501) })).body.error, /description/);
    });

    it('refuses the event that comes after the end of all webhooks, also in a change', async () => {
        const { token, webhook_id } = await aWebhook();
        const body = { url: DEAF_URL, types: ['key.created', 'account.erased'] };
        for (const call of [
            { method: 'POST', path: '/v1/webhooks' },
            { method: 'PATCH', path: `/v1/webhooks/${webhook_id}` },
        ])
            assert.match((await expectError(400, { ...call, token, body })).body.error, /account\.erased.* end before/);
        assert.deepEqual((await service.as({ token }).webhooks.get({ webhook_id })).types, []);
    });

    it('is refused beyond the quota of the tier, and a deleted webhook makes room', async () => {
        const account = await newAccount();
        const me = service.as(account);
        const made = [];
        for (let count = 0; count < 5; count++) made.push(await me.webhooks.create({ url: DEAF_URL }));
        const call = { method: 'POST', path: '/v1/webhooks', token: account.token, body: { url: DEAF_URL } };
        assert.match((await expectError(403, call)).body.error, /quota of 5 webhooks/);
        const { webhook_id = '' } = made[0] ?? {};
        assert.deepEqual(await me.webhooks.delete({ webhook_id }), { webhook_id });
        await expectError(404, { path: `/v1/webhooks/${webhook_id}`, token: account.token });
        await me.webhooks.create({ url: DEAF_URL });
        assert.deepEqual((await me.me.quotas()).quotas.webhooks, { used: 5, quota: 5 });
    });

    it('does not exist for another account', async () => {
        const { webhook_id } = await aWebhook();
        const { token } = await newAccount();
        const path = `/v1/webhooks/${webhook_id}`;
        for (const call of [
            { path },
            { path, method: 'PATCH', body: { state: 'paused' } },
            { path, method: 'DELETE' },
            { path: `${path}/rotate-secret`, method: 'POST', body: {} },
            { path: `${path}/test`, method: 'POST', body: {} },
            { path: `${path}/deliveries` },
            { path: `${path}/replay`, method: 'POST', body: { event_id: 'x.1' } },
            { path: '/v1/webhooks/nonsense' },
        ])
            await expectError(404, { ...call, token });
    });

    it('accepts no test and no single event while a thousand deliveries wait', async () => {
        const token = await aKey();
        const me = service.as({ token });
        // A webhook gets only events that are later than itself.
        await until('there is an event', async () => (await me.events.list()).events.length > 0);
        const { webhook_id } = await me.webhooks.create({ url: DEAF_URL });
        const client = await database('webhooks');
        await client.query(
            `INSERT INTO webhooks.deliveries (id, endpoint, event_id, type, body, state, created_at, due_at)
             SELECT gen_random_uuid(), $1, 'x.' || number, 'key.created', '{}', 'waiting', now(), now() + interval '1 day'
             FROM generate_series(1, 1000) AS number`,
            [webhook_id],
        );
        const [{ event_id } = assert.fail('there is no event')] = (await me.events.list()).events;
        const path = `/v1/webhooks/${webhook_id}`;
        const calls = [
            { method: 'POST', path: `${path}/test`, token, body: {} },
            { method: 'POST', path: `${path}/replay`, token, body: { event_id } },
        ];
        for (const call of calls) assert.match((await expectError(409, call)).body.error, /1000 deliveries .* wait/);
        await client.query("DELETE FROM webhooks.deliveries WHERE endpoint = $1 AND event_id = 'x.1'", [webhook_id]);
        await me.webhooks.test({ webhook_id });
        for (const call of calls) await expectError(409, call);
    });

    it('refuses the replay of an event whose type it does not take', async () => {
        const { token, webhook_id } = await aWebhook();
        const me = service.as({ token });
        await me.webhooks.update({ webhook_id, types: ['credential.revoked'] });
        await until('there is an event', async () => (await me.events.list()).events.length > 0);
        const [{ event_id } = assert.fail('there is no event')] = (await me.events.list()).events;
        const replay = { method: 'POST', path: `/v1/webhooks/${webhook_id}/replay`, token, body: { event_id } };
        assert.match((await expectError(409, replay)).body.error, /does not take events of this type/);
        await me.webhooks.update({ webhook_id, types: [] });
        await expectOk(200, replay);
    });

    it('refuses replays of more than 31 days, of no event, and of both forms', async () => {
        const { token, webhook_id } = await aWebhook();
        const path = `/v1/webhooks/${webhook_id}/replay`;
        const from = '2026-01-01T00:00:00Z';
        for (const body of [
            { from, to: '2026-02-01T00:00:01Z' },
            { from, to: from },
            { from },
            { from: 'x', to: 'y' },
            { from: '2026-11-20T00:00:00', to: '2026-11-21T00:00:00' }, // of which zone?
            { from: '+020000-01-01T00:00:00Z', to: '+020000-01-02T00:00:00Z' },
            { event_id: 'x', from, to: '2026-01-02T00:00:00Z' },
            {},
        ])
            await expectError(400, { method: 'POST', path, token, body });
        await expectError(404, { method: 'POST', path, token, body: { event_id: 'x.1' } });
        await expectError(400, { path: `/v1/webhooks/${webhook_id}/deliveries?state=lost`, token });
    });

    it('needs the scope webhooks:manage of an API key that has scopes', async () => {
        const me = service.as(await newAccount());
        const manager = await me.keys.generate({ name: 'manager', scopes: ['webhooks:manage'] });
        const reader = await me.keys.generate({ name: 'reader', scopes: ['events:read'] });
        assert.ok(await service.as({ token: manager.api_key }).webhooks.list());
        await expectError(403, { path: '/v1/webhooks', token: reader.api_key });
    });
});
