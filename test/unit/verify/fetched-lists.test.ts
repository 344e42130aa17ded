import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_LIST_BYTES } from '../../../verify/src/status-list.ts';
import { verifyCredential, verifyPresentation } from '../../../verify/src/verify.ts';
import { credentialToken, type ListOptions, listToken, newSigner, presentationToken } from './signed-lists.ts';

const issuer = newSigner();
const lists = newSigner();
let made = 0;

/** Serves a list at a new address. Counts the requests. */
function served(more: Partial<ListOptions> = {}, reply?: (token: string) => Response) {
    const uri = `https://status.example/v1/status-lists/${++made}`;
    const seen: Array<{ url: string; init: RequestInit }> = [];
    const fetch = async (url: string, init: RequestInit) => {
        seen.push({ url, init });
        const token = listToken({ signer: lists, uri, ...more });
        return reply?.(token) ?? new Response(token);
    };
    const credential = (idx: number, change: object = {}) =>
        credentialToken(issuer, { status_list: { idx, uri, iss: lists.did, ...change } });
    const statusOf = async (idx: number, now?: number) =>
        (await verifyCredential(credential(idx), { status: 'fetch', fetch, now })).status;
    return { uri, seen, fetch, credential, statusOf };
}

describe('a list that is fetched', () => {
    it('comes from the address that the issuer signed, without following redirects or naming the caller', async () => {
        const { uri, seen, statusOf } = served();
        assert.equal(await statusOf(1), 'valid');
        const [{ url, init } = assert.fail()] = seen;
        const { signal, ...rest } = init;
        assert.equal(url, uri);
        assert.ok(signal instanceof AbortSignal);
        assert.deepEqual(rest, {
            headers: { Accept: 'application/statuslist+jwt' },
            redirect: 'error',
            credentials: 'omit',
            referrerPolicy: 'no-referrer',
        });
    });

    it('is kept for its ttl, and concurrent calls share a request', async (t) => {
        const { seen, statusOf } = served({ payload: { ttl: 60 } });
        assert.deepEqual(await Promise.all([statusOf(0), statusOf(1), statusOf(2)]), ['revoked', 'valid', 'valid']);
        assert.equal(seen.length, 1);
        const start = Date.now();
        const clock = t.mock.method(Date, 'now', () => start + 59_000);
        await statusOf(0);
        assert.equal(seen.length, 1);
        clock.mock.mockImplementation(() => start + 61_000);
        await statusOf(0);
        assert.equal(seen.length, 2);
    });

    it('is fetched again if the time of the call that shared its request is up', async (t) => {
        const { seen, fetch, credential } = served();
        const [first, second] = [new AbortController(), new AbortController()];
        const signals = [first.signal, second.signal];
        t.mock.method(AbortSignal, 'timeout', () => signals.shift());
        const silent = (_url: string, { signal }: RequestInit) =>
            new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('late'))));
        const calls = [silent, fetch].map((own) => verifyCredential(credential(1), { status: 'fetch', fetch: own }));
        first.abort();
        const [late, other] = await Promise.all(calls);
        assert.deepEqual([late?.status, other?.status, seen.length], ['unknown', 'valid', 1]);
    });

    it('is not kept without a ttl, nor beyond its expiry', async (t) => {
        const without = served({ payload: { ttl: undefined } });
        await without.statusOf(0);
        await without.statusOf(0);
        assert.equal(without.seen.length, 2);
        const exp = Math.floor(Date.now() / 1_000) + 10;
        const short = served({ payload: { ttl: 60, exp } });
        await short.statusOf(0);
        t.mock.method(Date, 'now', () => exp * 1_000);
        assert.equal(await short.statusOf(0), 'unknown');
        assert.equal(short.seen.length, 2);
    });

    it('is dropped if 64 others have been fetched since', async () => {
        const first = served();
        await first.statusOf(0);
        for (let i = 0; i < 63; i++) await served().statusOf(0);
        await first.statusOf(0);
        assert.equal(first.seen.length, 1);
        await served().statusOf(0);
        await first.statusOf(0);
        assert.equal(first.seen.length, 2);
    });

    it('is kept for a day at most, whatever its ttl is', async (t) => {
        const { seen, statusOf } = served({ payload: { ttl: 8e12 } });
        const start = Date.now();
        await statusOf(0);
        const clock = t.mock.method(Date, 'now', () => start + 86_399_000);
        await statusOf(0);
        assert.equal(seen.length, 1);
        clock.mock.mockImplementation(() => start + 86_500_000);
        await statusOf(0);
        assert.equal(seen.length, 2);
    });

    it('is dropped if those that were fetched since are large together', async () => {
        const first = served();
        await first.statusOf(0);
        const large = { bytes: new Uint8Array(MAX_LIST_BYTES).fill(0) };
        for (let i = 0; i < 7; i++) await served(large).statusOf(0);
        await first.statusOf(0);
        assert.equal(first.seen.length, 1);
        await served(large).statusOf(0);
        await first.statusOf(0);
        assert.equal(first.seen.length, 2);
    });

    it('is asked for again after a failure', async () => {
        let fails = true;
        const { seen, statusOf } = served({}, (token) => new Response(token, { status: fails ? 503 : 200 }));
        assert.equal(await statusOf(1), 'unknown');
        fails = false;
        assert.equal(await statusOf(1), 'valid');
        assert.equal(seen.length, 2);
    });

    it('is kept for one signer: a credential that names another one gets no status from it', async () => {
        const { fetch, credential, statusOf } = served();
        assert.equal(await statusOf(1), 'valid');
        const other = credential(1, { iss: newSigner().did });
        assert.equal((await verifyCredential(other, { status: 'fetch', fetch })).status, 'unknown');
    });

    it('is unknown if the answer is too large, empty, broken, or never comes', async (t) => {
        const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)) });
        const broken = () => new ReadableStream({ pull: (controller) => controller.error(new Error('lost')) });
        for (const reply of [() => new Response(endless()), () => new Response(null), () => new Response(broken())]) {
            assert.equal(await served({}, reply).statusOf(1), 'unknown');
        }
        const { credential } = served();
        const rejecting = async () => Promise.reject(new TypeError('redirected'));
        assert.equal((await verifyCredential(credential(1), { status: 'fetch', fetch: rejecting })).status, 'unknown');
        t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort());
        const aborted = async (_: string, { signal }: RequestInit) => Promise.reject(signal?.reason);
        assert.equal((await verifyCredential(credential(1), { status: 'fetch', fetch: aborted })).status, 'unknown');
    });

    it('is never asked for over http, for a token that is not authentic, or if nobody looks', async () => {
        const { uri, seen, fetch, credential } = served();
        const token = credential(1);
        const fetching = { status: 'fetch', fetch } as const;
        for (const odd of [uri.replace('https', 'http'), 'file:///etc/passwd', '/v1/status-lists/1', 'data:,x']) {
            assert.equal((await verifyCredential(credential(1, { uri: odd }), fetching)).status, 'unknown', odd);
        }
        assert.equal((await verifyCredential(`${token}.Zg`, fetching)).valid, false);
        assert.equal((await verifyCredential(token, { ...fetching, issuer: lists.did })).valid, false);
        assert.equal((await verifyCredential(token, { ...fetching, status: false })).valid, true);
        assert.equal((await verifyCredential(token, { fetch })).status, 'unknown');
        const presentation = presentationToken(issuer, [token]);
        const elsewhere = { ...fetching, audience: 'did:web:other.example', nonce: false } as const;
        assert.equal((await verifyPresentation(presentation, elsewhere)).valid, false);
        assert.deepEqual(seen, []);
        assert.equal((await verifyCredential(token, fetching)).valid, true);
        assert.equal(seen.length, 1);
    });
});

describe('lists of a presentation', () => {
    const audience = 'did:web:verifier.example';
    const good = { audience, nonce: 'n-1', status: 'fetch' } as const;

    /** A presentation of credentials that name so many addresses. Counts the requests. */
    function presented(addresses: number, more: Record<string, unknown> = {}) {
        const urls = new Set<string>();
        const fetch = async (url: string) => {
            urls.add(url);
            return new Response(listToken({ signer: lists, uri: url }));
        };
        const credentials = Array.from({ length: addresses }, () =>
            credentialToken(issuer, { status_list: { idx: 1, uri: `https://10.0.0.1/${++made}`, iss: lists.did } }),
        );
        return { urls, fetch, token: presentationToken(issuer, credentials, 'n-1', more) };
    }

    it('are not fetched if the nonce, the audience or the time is wrong, or no issuer is accepted', async () => {
        for (const [token, options, error] of [
            [presented(1), { nonce: 'n-2' }, /nonce/],
            [presented(1), { audience: 'did:web:other.example' }, /another audience/],
            [presented(1, { exp: '2026-01-01T00:00:00Z' }), {}, /expired/],
            [presented(1, { nbf: '2999-01-01T00:00:00Z' }), {}, /not valid yet/],
            [presented(1), { issuers: [lists.did] }, /The issuer is not one of those that are accepted/],
        ] as const) {
            const result = await verifyPresentation(token.token, { ...good, ...options, fetch: token.fetch });
            assert.match(String(result.error), error);
            assert.equal(token.urls.size, 0, String(error));
        }
        const right = presented(1);
        assert.equal((await verifyPresentation(right.token, { ...good, fetch: right.fetch })).valid, true);
    });

    it('are not fetched for a credential that is not valid whatever its status is', async () => {
        for (const times of [{ exp: '2026-01-02T00:00:00Z' }, { nbf: '2999-01-01T00:00:00Z' }]) {
            const { uri, seen, fetch } = served();
            const late = credentialToken(issuer, { status_list: { idx: 1, uri, iss: lists.did } }, times);
            const { valid, status } = await verifyCredential(late, { status: 'fetch', fetch });
            assert.deepEqual({ valid, status, seen }, { valid: false, status: 'unknown', seen: [] });
        }
    });

    it('are eight at most, and those that are kept do not count', async () => {
        const { urls, fetch, token } = presented(10);
        const first = await verifyPresentation(token, { ...good, fetch });
        assert.equal(urls.size, 8);
        assert.equal(first.error, 'credentials.8: The status of the credential is unknown.');
        const second = await verifyPresentation(token, { ...good, fetch });
        assert.equal(second.valid, true);
        assert.equal(urls.size, 10);
    });
});
