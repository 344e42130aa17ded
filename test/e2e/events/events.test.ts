import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client, EventsListData } from '../../../client/src/client.ts';
import { until } from '../../support/until.ts';
import { CONNECTION, expectError, GATEWAYS, service } from '../support/client.ts';
import { issue, login, newAccount, newDid, newKey, newWallet } from '../support/world.ts';

type Event = EventsListData['events'][number];

/** Waits until the stream of the account has so many events, and returns all of them. */
async function eventsOf(client: Client, count: number): Promise<Event[]> {
    const events: Event[] = [];
    await until(`there are ${count} events`, async () => {
        const { events: more } = await client.events.list({ after: events.length, limit: 1_000 });
        events.push(...more);
        return events.length >= count;
    });
    return events;
}

function shown({ type, data }: Event) {
    return { type, ...data };
}

describe('GET /v1/events', () => {
    it('has what happens to the objects of the account, each event once, numbered without gaps', async () => {
        const account = await newAccount();
        const me = service.as(account);
        const { key_id } = await newKey(account);
        const { key_id: successorId } = await me.keys.rotate({ key_id, overlap_seconds: 0 });
        await me.keys.revoke({ key_id: successorId });
        await me.keys.revoke({ key_id: successorId }); // nothing happens
        const issuer = await me.issuers.create({ name: 'Registrar', method: 'web' });
        const { kid } = await me.issuers.rotate({ issuer_id: issuer.issuer_id });
        await me.issuers.markCompromised({ issuer_id: issuer.issuer_id, kid: issuer.kid, reason: 'leaked' });
        await me.issuers.markCompromised({ issuer_id: issuer.issuer_id, kid: issuer.kid, reason: 'again' });
        const { credential_id } = await issue(account.token, { did: issuer.did });
        await me.credentials.revoke({ credential_id, issuer_did: issuer.did });
        await me.issuers.archive({ issuer_id: issuer.issuer_id });
        await me.issuers.archive({ issuer_id: issuer.issuer_id });
        const { wallet_id } = await newWallet(account.token);
        const other = await login(account);
        await service.internal.auth.logout({ token: other.token });

        const events = await eventsOf(me, 11);
        const { issuer_id, did: issuerDid } = issuer;
        const expected = [
            { type: 'key.created', key_id },
            { type: 'key.rotated', key_id, successor_id: successorId },
            { type: 'key.revoked', key_id: successorId },
            { type: 'issuer.created', issuer_id, issuer_did: issuerDid, kid: issuer.kid },
            { type: 'issuer.rotated', issuer_id, issuer_did: issuerDid, kid },
            { type: 'issuer.compromised', issuer_id, issuer_did: issuerDid, kid: issuer.kid },
            { type: 'credential.issued', credential_id, issuer_did: issuerDid },
            { type: 'credential.revoked', credential_id, issuer_did: issuerDid },
            { type: 'issuer.archived', issuer_id, issuer_did: issuerDid },
            { type: 'wallet.created', wallet_id },
        ];
        const [ended] = events.filter(({ type }) => type === 'session.ended');
        assert.ok(ended?.data.session_id);
        const rest = events.filter((event) => event !== ended).map(shown);
        const sorted = (list: object[]) => list.map((item) => JSON.stringify(item, Object.keys(item).sort())).sort();
        assert.deepEqual(sorted(rest), sorted(expected));
        assert.deepEqual(
            events.map(({ seq }) => seq),
            events.map((_, index) => index + 1),
        );
        assert.equal(new Set(events.map(({ event_id }) => event_id)).size, events.length);
        for (const { timestamp } of events) assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 300_000);
    });

    it('is read in pages and by type, and says where to go on', async () => {
        const account = await newAccount();
        const me = service.as(account);
        const issuer = await newDid(account.token);
        const items = Array.from({ length: 25 }, () => ({
            subject_did: 'did:web:subject.example',
            credential_type: 'EmploymentCredential',
            claims: {},
        }));
        await me.credentials.batch.issue({ issuer_did: issuer.did, issuer_private_key: issuer.private_key, items });
        await newKey(account);
        const all = await eventsOf(me, 26);
        const pages: Event[][] = [];
        for (let after = 0; ; ) {
            const { events, next } = await me.events.list({ after, limit: 10 });
            if (events.length === 0) {
                assert.equal(next, after);
                break;
            }
            assert.equal(next, events.at(-1)?.seq);
            pages.push(events);
            after = next;
        }
        assert.deepEqual(
            pages.map(({ length }) => length),
            [10, 10, 6],
        );
        assert.deepEqual(pages.flat(), all);
        const { events: keys, next } = await me.events.list({ after: 0, types: 'key.created,key.revoked' });
        assert.deepEqual(
            keys,
            all.filter(({ type }) => type === 'key.created'),
        );
        assert.equal(next, 26, 'the events of other types are passed');
    });

    it('is not sent again to a client that has the same answer', async () => {
        const account = await newAccount();
        await newKey(account);
        await eventsOf(service.as(account), 1);
        const get = (path: string, known?: string) =>
            fetch(`${GATEWAYS[0]}${path}`, {
                headers: {
                    ...CONNECTION,
                    authorization: `Bearer ${account.token}`,
                    ...(known && { 'if-none-match': known }),
                },
            });
        const first = await get('/v1/events');
        const etag = first.headers.get('etag') ?? '';
        assert.deepEqual([first.status, first.headers.get('cache-control')], [200, 'private, no-cache']);
        await first.text();
        const same = await get('/v1/events', `"other", ${etag}`);
        assert.deepEqual([same.status, same.headers.get('etag'), await same.text()], [304, etag, '']);
        assert.ok(same.headers.has('x-ratelimit-remaining'));
        for (const [path, known] of [
            ['/v1/events?after=1', etag],
            ['/v1/events', '"other"'],
        ] as const) {
            const changed = await get(path, known);
            assert.deepEqual([changed.status, JSON.parse(await changed.text()).status], [200, 'success']);
        }
    });

    it('has the suspension of the account, and never the events of another account', async () => {
        const [ada, eve] = [await newAccount(), await newAccount()];
        await newKey(ada);
        await service.internal.admin.suspendUser({ user_id: ada.user_id, reason: 'unpaid' });
        await service.internal.admin.suspendUser({ user_id: ada.user_id });
        await service.internal.admin.restoreUser({ user_id: ada.user_id });
        const { token } = await login(ada);
        const events = await eventsOf(service.as({ token }), 3);
        assert.deepEqual(events.map(({ type }) => type).sort(), ['key.created', 'user.restored', 'user.suspended']);
        assert.deepEqual(await service.as(eve).events.list(), { events: [], next: 0 });
    });

    it('refuses queries that it does not understand', async () => {
        const { token } = await newAccount();
        for (const query of ['after=-1', 'after=1.5', 'after=x', `after=${'9'.repeat(17)}`, 'after=1&after=2'])
            assert.match((await expectError(400, { path: `/v1/events?${query}`, token })).body.error, /after/);
        for (const query of ['limit=0', 'limit=1001', 'limit=ten'])
            assert.match((await expectError(400, { path: `/v1/events?${query}`, token })).body.error, /limit/);
        for (const query of ['types=', 'types=key.made', 'types=key.created,', 'types=KEY.CREATED'])
            assert.match((await expectError(400, { path: `/v1/events?${query}`, token })).body.error, /types/);
    });

    it('needs the scope events:read of an API key that has scopes', async () => {
        const me = service.as(await newAccount());
        const reader = await me.keys.generate({ name: 'reader', scopes: ['events:read'] });
        const issuer = await me.keys.generate({ name: 'issuer', scopes: ['credentials:*'] });
        assert.ok((await service.as({ token: reader.api_key }).events.list()).events);
        await expectError(403, { path: '/v1/events', token: issuer.api_key });
    });
});
