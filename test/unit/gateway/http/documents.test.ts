import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, it } from 'node:test';
import { z } from 'zod';
import type { Admission } from '../../../../gateway/admission/admission.ts';
import { overload } from '../../../../gateway/admission/overload.ts';
import { publicDocument } from '../../../../gateway/documents.ts';
import { endpoint } from '../../../../gateway/endpoint.ts';
import { engine } from '../../../../gateway/engine.ts';
import { cors } from '../../../../gateway/http/cors.ts';
import { gatewayServer } from '../../../../gateway/http/server.ts';
import type { Services } from '../../../../gateway/services.ts';
import type { Decision } from '../../../../platform/access/limit-decision.ts';
import { AppError } from '../../../../platform/errors.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { recordingLog } from '../../../support/harness.ts';

const TEXT = JSON.stringify({ id: 'did:web:credentials.example', text: 'x'.repeat(1_000) });
const known = await publicDocument(TEXT);

const documents = endpoint({
    id: 'documents.get',
    summary: 'Read a document',
    method: 'GET',
    path: '/documents/{name}',
    access: 'anonymous',
    status: 200,
    message: 'Document',
    document: { contentType: 'application/did+json', maxAgeSeconds: 42 },
    params: z.object({ name: z.string() }),
    answer: z.object({ id: z.string() }),
    async call({ params: { name } }) {
        if (name === 'known') return known;
        throw new AppError('not_found', 'There is no such document.');
    },
});

const decision: Decision = { state: 'admitted', limit: 7, remaining: 6, window: 60, reset: 1, wait: 1 };
const metrics = createMetrics();
const { log, lines } = recordingLog();
const shedding = overload(metrics);
const server = gatewayServer({
    engine: engine({
        services: {} as Services, // the endpoint calls none
        admission: { admit: async () => ({ decision }) } as unknown as Admission, // nothing else is called
        readList: async () => assert.fail('this is no list'),
        overload: shedding,
        log,
    }),
    unparsedDecision: () => decision,
    endpoints: [documents],
    pages: [],
    cors: cors(['https://app.example'], [documents]),
    trustedProxies: 0,
    keepAliveSeconds: 75,
    overload: shedding,
    isInternal: () => false,
    log,
    metrics,
}).listen(0);
await once(server, 'listening');
after(() => server.close());

function get(name: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    const { port } = server.address() as AddressInfo; // it listens on a port
    return fetch(`http://127.0.0.1:${port}/documents/${name}`, { method, headers });
}

it('a document is sent without the envelope, with its type, for as long as it may be kept', async () => {
    const answer = await get('known');
    assert.equal(answer.status, 200);
    assert.equal(await answer.text(), TEXT);
    assert.equal(answer.headers.get('content-type'), 'application/did+json');
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=42');
    assert.equal(lines.at(-1)?.['route'], 'documents.get');
});

it('a document carries nothing that belongs to the client who asked first, and its refusal does', async () => {
    const names = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];
    for (const name of ['Limit', 'Remaining', 'Reset']) names.push(`X-RateLimit-${name}`);
    const carried = ({ headers }: Response) => names.filter((name) => headers.has(name));
    const first = await get('known', { 'x-request-id': 'mine' });
    assert.deepEqual(carried(first), []);
    const again = await get('known', { 'if-none-match': '*' });
    assert.deepEqual([again.status, carried(again)], [304, []]);
    assert.deepEqual(carried(await get('missing')), names);
});

it('a client that has the document gets 304 without a body, in each content coding', async () => {
    const etags = new Set<string>();
    for (const coding of ['identity', 'gzip']) {
        const headers = { 'accept-encoding': coding };
        const first = await get('known', headers);
        assert.equal(first.headers.get('content-encoding'), coding === 'gzip' ? 'gzip' : null);
        const etag = first.headers.get('etag') ?? '';
        etags.add(etag);
        for (const sent of [etag, `"other", W/${etag}`, '*']) {
            const again = await get('known', { ...headers, 'if-none-match': sent });
            assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag]);
        }
        const changed = await get('known', { ...headers, 'if-none-match': '"other"' });
        assert.equal(await changed.text(), TEXT);
    }
    assert.equal(etags.size, 2, 'each content coding has its own entity tag');
});

it('HEAD gets the header of the document without its body', async () => {
    const answer = await get('known', { 'accept-encoding': 'identity' }, 'HEAD');
    assert.deepEqual([answer.status, await answer.text()], [200, '']);
    assert.equal(answer.headers.get('content-length'), String(TEXT.length));
});

it('scripts of every web page may read a document, and the refusal if there is none', async () => {
    for (const [name, status] of [
        ['known', 200],
        ['missing', 404],
    ] as const) {
        for (const origin of ['https://app.example', 'https://elsewhere.example']) {
            const answer = await get(name, { origin });
            assert.equal(answer.status, status);
            assert.equal(answer.headers.get('access-control-allow-origin'), '*');
            assert.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin');
            assert.doesNotMatch(answer.headers.get('vary') ?? '', /Origin/);
        }
    }
    const refusal = await get('missing');
    assert.equal(refusal.headers.get('cache-control'), 'no-store');
    assert.deepEqual(await refusal.json(), {
        status: 'error',
        message: 'Not found',
        error: 'There is no such document.',
    });
});
