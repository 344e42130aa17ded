import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AddressError, ApiError, type Client, ConnectionError, createClient } from '../../../client/src/client.ts';
import { retrying } from '../../../client/src/retry.ts';
import type { TimeLimit } from '../../../client/src/time-limit.ts';
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
const verify = (client: Client) => client.credentials.verify({ credential: 'v4.public.x', issuer_did: 'did:key:z' });

/** How many requests arrive when the first answer is `first` and all others are good, and how it ends. */
async function tried(t: TestContext, first: Reply, call: (client: Client) => Promise<unknown>) {
    const { base_url, received } = await scriptedServer(t, [first, success('good')]);
    const outcome = await call(createClient({ base_url })).catch((error: unknown) => error);
    return { requests: received.length, outcome };
}

describe('a call is sent again', () => {
    for (const [name, reply] of Object.entries({
        'a 503': refusal(503, { 'Retry-After': '0' }),
        'a 500': refusal(500),
        'a 502 of a proxy': ((response) => response.writeHead(502).end('<h1>Bad gateway</h1>')) as Reply,
        'a connection that broke off': breakOff,
    })) {
        it(`after ${name}, where doing it twice does no harm`, async (t) => {
            assert.deepEqual(await tried(t, reply, get), { requests: 2, outcome: 'good' });
            assert.deepEqual(await tried(t, reply, verify), { requests: 2, outcome: 'good' });
        });

        it(`not after ${name}, where it may have been carried out`, async (t) => {
            const { requests, outcome } = await tried(t, reply, issue);
            assert.equal(requests, 1);
            assert.ok(outcome instanceof (reply === breakOff ? ConnectionError : ApiError));
            if (outcome instanceof ConnectionError) assert.equal(outcome.never_sent, false);
        });
    }

    it('whatever it is after a 429, which comes before anything is done', async (t) => {
        for (const call of [get, issue, verify]) {
            assert.deepEqual(await tried(t, refusal(429, { 'Retry-After': '0' }), call), {
                requests: 2,
                outcome: 'good',
            });
        }
    });

    it('not after any other refusal', async (t) => {
        for (const status of [400, 401, 403, 404, 405, 409, 413]) {
            const { requests, outcome } = await tried(t, refusal(status), get);
            assert.deepEqual([requests, outcome instanceof ApiError && outcome.status], [1, status]);
        }
    });

    for (const status of [301, 302, 303, 307, 308]) {
        it(`not after a redirect with ${status}, which is not followed but told`, async (t) => {
            const redirect: Reply = (response) => response.writeHead(status, { Location: '/elsewhere' }).end('moved');
            for (const call of [get, issue]) {
                const { requests, outcome } = await tried(t, redirect, call);
                assert.ok(outcome instanceof AddressError);
                assert.match(outcome.message, /^http:\/\/127\.0\.0\.1:\d+ redirects: base_url must be /);
                assert.equal(requests, 1);
            }
        });
    }

    it('not after a redirect as a browser shows it, without its status', async () => {
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

    it('not when fetch refuses to call the port', async () => {
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

    it('whatever it is when no connection came about', async (t) => {
        const port = await pickPort();
        let attempts = 0;
        const client = createClient({
            base_url: `http://localhost:${port}`, // which may well be two addresses
            async fetch(url, init) {
                if (++attempts === 2) await scriptedServer(t, [success('good')], port);
                return fetch(url, init);
            },
        });
        assert.equal(await issue(client), 'good');
        assert.equal(attempts, 2);
    });

    it('no more often than the client may', async (t) => {
        const { base_url, received } = await scriptedServer(t, [refusal(503)]);
        await assert.rejects(get(createClient({ base_url, tries: 3 })), ApiError);
        assert.equal(received.length, 3);
        const nowhere = createClient({ base_url: `http://127.0.0.1:${await pickPort()}`, tries: 2 });
        await assert.rejects(issue(nowhere), (error: unknown) => error instanceof ConnectionError && error.never_sent);
    });
});

describe('a wait', () => {
    /** The waits between so many attempts that all end with the error. */
    async function waits(error: unknown, attempts: number, left_ms = 1e9): Promise<number[]> {
        const paused: number[] = [];
        const time: TimeLimit = {
            signal: new AbortController().signal,
            left: () => left_ms,
            pause: async (milliseconds) => void paused.push(milliseconds),
            close() {},
        };
        await assert.rejects(
            retrying(() => Promise.reject(error), { tries: attempts, idempotent: true, time }),
            (thrown) => thrown === error,
        );
        return paused;
    }
    const refusedFor = (retry_after: number | undefined) =>
        new ApiError({ status: 429, code: 'rate_limited', summary: '', detail: '', request_id: '', retry_after });

    it('is random, and its bound doubles up to ten seconds', async (t) => {
        t.mock.method(Math, 'random', () => 1);
        assert.deepEqual(
            await waits(refusedFor(undefined), 10),
            [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000],
        );
        t.mock.method(Math, 'random', () => 0.5);
        assert.deepEqual(await waits(refusedFor(undefined), 4), [50, 100, 200]);
    });

    it('is never shorter than the service asks for', async (t) => {
        t.mock.method(Math, 'random', () => 0);
        assert.deepEqual(await waits(refusedFor(42), 3), [42_000, 42_000]);
    });

    it('that would outlast the call is not begun', async () => {
        assert.deepEqual(await waits(refusedFor(42), 3, 42_000), []);
    });
});

describe('a call is given up', () => {
    it('when its time is up, and says that nobody knows what became of it', async (t) => {
        const { base_url, received, arrival } = await scriptedServer(t, [silence]);
        t.mock.timers.enable({ apis: ['setTimeout'] });
        const arrived = arrival();
        const rejected = assert.rejects(createClient({ base_url }).me.get({ timeout_ms: 50 }), (error: unknown) => {
            assert.ok(error instanceof ConnectionError);
            assert.equal(error.message, 'No answer within 50 ms.');
            return !error.never_sent;
        });
        await arrived; // however long that takes
        t.mock.timers.tick(50);
        await rejected;
        assert.equal(received.length, 1);
    });

    it('at once when it is refused for longer than its time', async (t) => {
        const { base_url, received } = await scriptedServer(t, [refusal(429, { 'Retry-After': '60' })]);
        await assert.rejects(
            get(createClient({ base_url })),
            (error) => error instanceof ApiError && error.retry_after === 60,
        );
        assert.equal(received.length, 1);
    });

    for (const [name, reply] of Object.entries({
        'under way': silence,
        'waiting to be sent again': refusal(429, { 'Retry-After': '5' }),
    })) {
        it(`with the reason of its signal: while it is ${name}, and at once when that was aborted before`, async (t) => {
            const { base_url, received, arrival } = await scriptedServer(t, [reply]);
            const controller = new AbortController();
            const client = createClient({ base_url });
            const arrived = arrival();
            const call = client.me.get({ signal: controller.signal });
            const reason = new Error('changed my mind');
            const rejected = assert.rejects(call, (error) => error === reason);
            await arrived;
            while (reply !== silence && client.rate_limit === undefined) await nextTurn(); // until it has read the refusal
            controller.abort(reason);
            await rejected;
            await assert.rejects(client.me.get({ signal: controller.signal }), (error) => error === reason);
            assert.equal(received.length, 1);
        });
    }
});
