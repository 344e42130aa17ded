import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf } from '../../../client/src/answer.ts';
import { ApiError, createClient } from '../../../client/src/client.ts';
import { OPERATIONS } from '../../../client/src/gen/operations.ts';
import { cpuMs } from '../cpu-time.ts';
import { type Reply, refusal, scriptedServer, success } from './scripted-server.ts';

async function refused(call: Promise<unknown>): Promise<ApiError> {
    const error = await call.catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ApiError, String(error));
    return error;
}

test('a call returns the data of a success, and the whole answer of health, which has no envelope', async (t) => {
    const { base_url } = await scriptedServer(t, [
        success({ did: 'did:key:z', public_key: 'k' }),
        (response) => response.end('{"status":"degraded"}'),
    ]);
    const client = createClient({ base_url });
    assert.deepEqual(await client.did.resolve({ did: 'did:key:z' }), { did: 'did:key:z', public_key: 'k' });
    assert.deepEqual(await client.internal.health(), { status: 'degraded' });
});

test('a refusal is an error with all fields of the answer', async (t) => {
    const headers = { 'X-Error-Code': 'rate_limited', 'X-Request-Id': 'r-1', 'Retry-After': '42' };
    const { base_url } = await scriptedServer(t, [refusal(429, headers)]);
    const error = await refused(createClient({ base_url, tries: 1 }).me.get());
    const { status, code, summary, detail, request_id, retry_after, message } = error;
    assert.deepEqual(
        { status, code, summary, detail, request_id, retry_after, message },
        {
            status: 429,
            code: 'rate_limited',
            summary: 'Refused',
            detail: 'Not this.',
            request_id: 'r-1',
            retry_after: 42,
            message: 'Refused: Not this.',
        },
    );
});

test('an answer that is not from the service is an error too, whatever its status', async (t) => {
    const { base_url } = await scriptedServer(t, [
        (response) => response.writeHead(502).end('<h1>Bad gateway</h1>'),
        (response) => response.end('<h1>Welcome</h1>'),
        (response) => response.end('{"hello":"world"}'),
        (response) => response.end('null'),
    ]);
    const client = createClient({ base_url, tries: 1 });
    for (const status of [502, 200, 200, 200]) {
        const error = await refused(client.me.get());
        assert.deepEqual([error.status, error.code], [status, undefined]);
        assert.equal(error.message, `HTTP ${status}, not from the service`);
    }
});

test('each client knows its rate limit from its latest answer, even if that is a refusal', async (t) => {
    const { base_url } = await scriptedServer(t, [
        success({}),
        refusal(404, { 'X-RateLimit-Remaining': '6' }),
        (response) => response.end('{"data":{}}'),
    ]);
    const client = createClient({ base_url });
    const other = client.as({ token: 'another' });
    assert.deepEqual([client.rate_limit, other.rate_limit], [undefined, undefined]);
    await client.me.get();
    assert.deepEqual(client.rate_limit, { limit: 10, remaining: 7, reset: 1_795_208_902 });
    await refused(client.me.get());
    assert.equal(client.rate_limit?.remaining, 6);
    await client.me.get();
    assert.equal(client.rate_limit?.remaining, 6, 'an answer without rate-limit headers changes nothing');
    assert.equal(other.rate_limit, undefined);
});

test('a Link field is read in linear time, wherever the link to the next page stands', () => {
    const linked = (link: string) =>
        answerOf({ status: 200, headers: new Headers({ Link: link }), text: '{"data":{}}' }, OPERATIONS['keys.list']);
    assert.equal(linked('<>; rel="prev", </v1/keys?cursor=c>; rel=next').next_cursor, 'c');
    const start = cpuMs();
    for (const link of ['<'.repeat(1 << 17), '=next<'.repeat(1 << 15), `<a>${' '.repeat(1 << 17)}x`]) {
        assert.equal(linked(link).next_cursor, undefined);
    }
    assert.ok(cpuMs() - start < 2_000);
});

test('a call tells what its answer says besides the data, and parallel calls share nothing', async (t) => {
    const reply = (request: string, remaining: number): Reply =>
        success(request, {
            'X-Request-Id': request,
            'X-RateLimit-Remaining': String(remaining),
            ...(request === 'r-1' && { 'Idempotent-Replayed': 'true' }),
        });
    let release = () => {};
    const late: Reply = (response) => {
        release = () => reply('r-2', 5)(response);
    };
    const overtaking: Reply = (response) => {
        reply('r-3', 4)(response);
        release();
    };
    const { base_url } = await scriptedServer(t, [reply('r-1', 6), late, overtaking, refusal(404)]);
    const client = createClient({ base_url });
    const first = await client.did.create().withResponse();
    const rateLimit = { limit: 10, remaining: 6, reset: 1_795_208_902 };
    const response = { status: 200, request_id: 'r-1', replayed: true, rate_limit: rateLimit };
    assert.deepEqual(first, { data: 'r-1', response });
    const both = await Promise.all([client.me.get().withResponse(), client.me.stats().withResponse()]);
    for (const { data, response } of both) {
        const remaining = { 'r-2': 5, 'r-3': 4 }[String(data)];
        assert.deepEqual([response.request_id, response.replayed], [data, false]);
        assert.equal(response.rate_limit?.remaining, remaining);
    }
    await refused(client.me.get().withResponse());
});

test('a call is a promise of its data', async (t) => {
    const { base_url } = await scriptedServer(t, [success('good'), success('better'), success('best'), refusal(404)]);
    const client = createClient({ base_url, tries: 1 });
    assert.equal(await client.me.get(), 'good');
    assert.deepEqual(await Promise.all([client.me.get().then((data) => [data])]), [['better']]);
    let ended = 0;
    assert.equal(await client.me.get().finally(() => ended++), 'best');
    assert.equal(await client.me.get().catch((error: ApiError) => error.status), 404);
    await assert.rejects(client.me.get(), ApiError);
    await refused(client.me.get().finally(() => ended++));
    assert.equal(ended, 2);
});

test('a list is read item by item, and the next page is requested when it is needed', async (t) => {
    const link = { Link: '</v1/keys?cursor=b>; rel="next"' };
    const page = (names: string[], more = {}) => success({ keys: names.map((name) => ({ name })), total: 3 }, more);
    const { base_url, received } = await scriptedServer(t, [page(['a', 'b'], link), page([], link), page(['c'])]);
    const seen: Array<[string, number]> = [];
    for await (const { name } of createClient({ base_url }).keys.list.items({ limit: 2 })) {
        seen.push([name, received.length]);
    }
    assert.deepEqual(seen, [
        ['a', 1],
        ['b', 1],
        ['c', 3],
    ]);
    assert.equal(received[0]?.url, '/v1/keys?limit=2');
});

test('a Retry-After may be a date', async (t) => {
    const after = (text: string): Reply => refusal(429, { 'Retry-After': text });
    const soon = new Date(Date.now() + 42_000).toUTCString();
    const texts = [soon, new Date(0).toUTCString(), 'soon', '2050', 'x GMT'];
    const { base_url } = await scriptedServer(t, texts.map(after));
    const client = createClient({ base_url, tries: 1 });
    const waits: Array<number | undefined> = [];
    for (const _ of texts) waits.push((await refused(client.me.get())).retry_after);
    assert.ok([41, 42].includes(waits.shift() ?? 0));
    assert.deepEqual(waits, [0, undefined, 2050, undefined]);
});

test('a list is read page by page by its links, with 1,000 rows per page by default', async (t) => {
    const link = (cursor: string) => ({ Link: `</elsewhere/v1/keys?limit=2&cursor=${cursor}>; rel="next"` });
    const script = [success({ total: 3 }, link('b%2B')), success({ total: 2 }, link('c')), success({ total: 1 })];
    const { base_url, received } = await scriptedServer(t, [...script, success({ total: 0 })]);
    const client = createClient({ base_url });
    const totals: number[] = [];
    for await (const { total } of client.keys.list.pages({ limit: 2 })) totals.push(total);
    for await (const { total } of client.keys.list.pages({ limit: undefined })) totals.push(total);
    assert.deepEqual(totals, [3, 2, 1, 0]);
    assert.deepEqual(
        received.map(({ url }) => url),
        ['?limit=2', '?limit=2&cursor=b%2B', '?limit=2&cursor=c', '?limit=1000'].map((query) => `/v1/keys${query}`),
    );
});
