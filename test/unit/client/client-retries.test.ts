import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AddressError, ApiError, type Client, ConnectionError, createClient } from '../../../client/src/client.ts';
import { pickPort } from '../../../deploy/local/ports.ts';
import { breakOff, type Reply, refusal, scriptedServer, silence, success } from './scripted-server.ts';

const CREDENTIAL = {
    issuer_did: 'did:key:z',
    issuer_private_key: 'k',
    subject_did: 'did:web:x',
    credential_type: 'T',
    claims: {},
};
const get = (client: Client) => client.me.get();
const issue = (client: Client) => client.credentials.issue(CREDENTIAL);
const change = (client: Client) => client.me.update({ name: 'n' });
const updateKey = (client: Client) => client.keys.update({ key_id: 'k', name: 'n' });
const renameKey = (client: Client) => client.keys.rename({ key_id: 'k', name: 'n' });
const verify = (client: Client) => client.credentials.verify({ credential: 'v4.public.x', issuer_did: 'did:key:z' });

/**
 * Makes a call whose first answer is `first` and whose later answers are good. Returns the number of requests, and the
 * outcome.
 */
async function tried(t: TestContext, first: Reply, call: (client: Client) => Promise<unknown>) {
    const { base_url, received } = await scriptedServer(t, [first, success('good')]);
    const outcome = await call(createClient({ base_url })).catch((error: unknown) => error);
    return { requests: received.length, outcome };
}

describe('a call', () => {
    for (const [name, reply] of Object.entries({
        'a 503': refusal(503, { 'Retry-After': '0' }),
        'a 500': refusal(500),
        'a 408': refusal(408),
        'a 502 of a proxy': ((response) => response.writeHead(502).end('<h1>Bad gateway</h1>')) as Reply,
        'a broken connection': breakOff,
    })) {
        it(`is sent again after ${name} if it is idempotent`, async (t) => {
            for (const call of [get, verify, updateKey, renameKey]) {
                assert.deepEqual(await tried(t, reply, call), { requests: 2, outcome: 'good' });
            }
        });

        it(`is sent again after ${name} with the same Idempotency-Key if it creates something`, async (t) => {
            const { base_url, received } = await scriptedServer(t, [reply, success('good')]);
            assert.equal(await issue(createClient({ base_url })), 'good');
            const [first, second] = received.map(({ headers }) => headers['idempotency-key']);
            assert.match(String(first), /^"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"$/);
            assert.equal(second, first);
        });

        it(`is not sent again after ${name} if it is not idempotent and may have been carried out`, async (t) => {
            const { requests, outcome } = await tried(t, reply, change);
            assert.equal(requests, 1);
            assert.ok(outcome instanceof (reply === breakOff ? ConnectionError : ApiError));
            if (outcome instanceof ConnectionError) assert.equal(outcome.never_sent, false);
        });
    }

    it('is sent again after a 429 even if it is not idempotent, because a 429 comes before any work', async (t) => {
        for (const call of [get, issue, change, verify]) {
            assert.deepEqual(await tried(t, refusal(429, { 'Retry-After': '0' }), call), {
                requests: 2,
                outcome: 'good',
            });
        }
    });

    it('is not sent again after any other refusal', async (t) => {
        for (const status of [400, 401, 403, 404, 405, 409, 413]) {
            const { requests, outcome } = await tried(t, refusal(status), get);
            assert.deepEqual([requests, outcome instanceof ApiError && outcome.status], [1, status]);
        }
    });

    for (const status of [301, 302, 303, 307, 308]) {
        it(`is not sent again after a redirect with ${status}, which the client reports and does not follow`, async (t) => {
            const redirect: Reply = (response) => response.writeHead(status, { Location: '/elsewhere' }).end('moved');
            for (const call of [get, issue]) {
                const { requests, outcome } = await tried(t, redirect, call);
                assert.ok(outcome instanceof AddressError);
                assert.match(outcome.message, /^http:\/\/127\.0\.0\.1:\d+ redirects: base_url must be /);
                assert.equal(requests, 1);
            }
        });
    }

    it('is not sent again after a redirect that a browser shows without its status', async () => {
        let attempts = 0;
        const opaque = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
        const client = createClient({
            base_url: 'http://127.0.0.1',
            async fetch() {
                attempts++;
                return opaque;
            },
        });
        await assert.rejects(get(client), AddressError);
        assert.equal(attempts, 1);
    });

    it('is not sent again when fetch refuses to call the port', async () => {
        let attempts = 0;
        const client = createClient({
            base_url: 'http://127.0.0.1:1',
            fetch(url, init) {
                attempts++;
                return fetch(url, init);
            },
        });
        for (const call of [get, issue]) {
            attempts = 0;
            await assert.rejects(call(client), {
                name: 'AddressError',
                message: 'fetch refuses to call http://127.0.0.1:1: bad port.',
            });
            assert.equal(attempts, 1);
        }
    });

    it('is sent again if no connection was made, even if it is not idempotent', async (t) => {
        const port = await pickPort();
        let attempts = 0;
        const client = createClient({
            base_url: `http://localhost:${port}`, // which may have two addresses
            async fetch(url, init) {
                if (++attempts === 2) await scriptedServer(t, [success('good')], port);
                return fetch(url, init);
            },
        });
        assert.equal(await issue(client), 'good');
        assert.equal(attempts, 2);
    });

    it('waits for a service that restarts, and then it is sent once', async (t) => {
        const port = await pickPort();
        let attempts = 0;
        const restarting: { received?: unknown[] } = {};
        const client = createClient({
            base_url: `http://127.0.0.1:${port}`,
            async fetch(url, init) {
                if (++attempts === 6) Object.assign(restarting, await scriptedServer(t, [success('good')], port));
                return fetch(url, init);
            },
        });
        t.mock.method(Math, 'random', () => 0); // no waits
        assert.equal(await change(client), 'good');
        assert.deepEqual([attempts, restarting.received?.length], [6, 1]);
    });

    it('is sent at most as often as `tries` allows', async (t) => {
        const { base_url, received } = await scriptedServer(t, [refusal(503)]);
        await assert.rejects(get(createClient({ base_url, tries: 3 })), ApiError);
        assert.equal(received.length, 3);
        const nowhere = createClient({ base_url: `http://127.0.0.1:${await pickPort()}`, tries: 2 });
        await assert.rejects(issue(nowhere), (error: unknown) => error instanceof ConnectionError && error.never_sent);
    });
});

describe('a call is given up', () => {
    it('when its time is up, with an error that says that it may have been sent', async (t) => {
        const { base_url, received, arrival } = await scriptedServer(t, [silence]);
        t.mock.timers.enable({ apis: ['setTimeout'] });
        const arrived = arrival();
        const rejected = assert.rejects(createClient({ base_url }).me.get({ timeout_ms: 50 }), (error: unknown) => {
            assert.ok(error instanceof ConnectionError);
            assert.equal(error.message, 'No answer within 50 ms.');
            return !error.never_sent;
        });
        await arrived; // waits for the request, however long that takes
        t.mock.timers.tick(50);
        await rejected;
        assert.equal(received.length, 1);
    });

    it('at once when Retry-After is longer than its remaining time', async (t) => {
        const { base_url, received } = await scriptedServer(t, [refusal(429, { 'Retry-After': '60' })]);
        await assert.rejects(
            get(createClient({ base_url })),
            (error) => error instanceof ApiError && error.retry_after === 60,
        );
        assert.equal(received.length, 1);
    });

    for (const [name, reply] of Object.entries({
        'in progress': silence,
        'waiting for a retry': refusal(429, { 'Retry-After': '5' }),
    })) {
        it(`with the reason of its signal: while it is ${name}, and at once if the signal was aborted before the call`, async (t) => {
            const { base_url, received, arrival } = await scriptedServer(t, [reply]);
            const controller = new AbortController();
            const client = createClient({ base_url });
            const arrived = arrival();
            const call = client.me.get({ signal: controller.signal });
            const reason = new Error('changed my mind');
            const rejected = assert.rejects(call, (error) => error === reason);
            await arrived;
            // Wait until the client has read the refusal.
            while (reply !== silence && client.rate_limit === undefined) await nextTurn();
            controller.abort(reason);
            await rejected;
            await assert.rejects(client.me.get({ signal: controller.signal }), (error) => error === reason);
            assert.equal(received.length, 1);
        });
    }
});
