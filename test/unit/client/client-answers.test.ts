import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf } from '../../../client/src/answer.ts';
import { ApiError, createClient } from '../../../client/src/client.ts';
import { OPERATIONS } from '../../../client/src/gen/operations.ts';
import { refusal, scriptedServer, success } from './scripted-server.ts';

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
    const start = performance.now();
    for (const link of ['<'.repeat(1 << 17), '=next<'.repeat(1 << 15), `<a>${' '.repeat(1 << 17)}x`]) {
        assert.equal(linked(link).next_cursor, undefined);
    }
    assert.ok(performance.now() - start < 2_000);
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
