import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { closedLoop } from '../../../bench/load/closed-loop.ts';
import { openLoop } from '../../../bench/load/open-loop.ts';
import { readRequests, writeRequests } from '../../../bench/load/requests.ts';
import { refusalsIn } from '../../../bench/overload/refusals.ts';

/** Starts a server that records the requested paths, and writes requests for `/0`, `/1`, … as the load reads them. */
async function playground(
    t: TestContext,
    count: number,
    answerTo: (path: string) => { status: number; afterMs?: number } = () => ({ status: 200 }),
) {
    const asked: string[] = [];
    const server = createServer((request, response) => {
        const path = request.url ?? '';
        asked.push(path);
        const { status, afterMs = 0 } = answerTo(path);
        setTimeout(() => response.writeHead(status, { 'Content-Length': 2 }).end('{}'), afterMs);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const folder = mkdtempSync(join(tmpdir(), 'bench-load-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const paths = Array.from({ length: count }, (_, index) => `/${index}`);
    writeRequests(
        join(folder, 'requests'),
        paths.map((path) => ({ method: 'POST', path, token: 'a', body: { path } })),
    );
    const targets = [{ host: '127.0.0.1', port: (server.address() as AddressInfo).port }]; // it listens on TCP
    return { asked, paths, targets, folder, requests: readRequests(join(folder, 'requests')) };
}

const LONG_S = 600;

test('a closed loop sends each request once and ends after the last one', async (t) => {
    const { asked, paths, targets, requests } = await playground(t, 500);
    const plan = { targets, connections: 7, expected: { status: 200 }, repeat: false, warmupS: 0, seconds: LONG_S };
    const { errors } = await closedLoop(plan, requests, () => {});
    assert.equal(errors, 0);
    assert.deepEqual(asked.toSorted(), paths.toSorted());
});

test('a closed loop that may repeat starts again with the first request, and counts refusals as errors', async (t) => {
    const { asked, paths, targets, requests } = await playground(t, 5, (path) => ({
        status: path === '/3' ? 429 : 200,
    }));
    const plan = { targets, connections: 1, expected: { status: 200 }, repeat: true, warmupS: 0, seconds: 1 };
    const { errors, firstError } = await closedLoop(plan, requests, () => {});
    assert.deepEqual(asked.slice(0, 7), [...paths, '/0', '/1']);
    assert.equal(errors, asked.filter((path) => path === '/3').length);
    assert.match(firstError ?? '', /^HTTP\/1\.1 429/);
});

test('a closed loop counts a dialogue as one request, and ends it after a refusal', async (t) => {
    const { asked, targets, requests } = await playground(t, 3, (path) => ({ status: path === '/1' ? 400 : 200 }));
    const once = { repeat: false, warmupS: 0, seconds: LONG_S, connections: 1, dialogue: 'redemption' } as const;
    const { errors, firstError } = await closedLoop(
        { targets, expected: { status: 200 }, ...once },
        requests,
        () => {},
    );
    const further = ['/issuers//nonce', '/issuers//credential'];
    assert.deepEqual(asked, ['/0', ...further, '/1', '/2', ...further]);
    assert.equal(errors, 1);
    assert.match(firstError ?? '', /^HTTP\/1\.1 400/);
});

test('an open loop sends each request when it is due, and counts answers by status', async (t) => {
    const { asked, targets, requests } = await playground(t, 4, (path) => ({ status: path === '/3' ? 503 : 200 }));
    const plan = { targets, rate: 200, connections: 3, warmupS: 0.1, seconds: 0.4 };
    const { offered, answers, lost } = await openLoop(plan, requests, () => {});
    assert.equal(asked.length, 100);
    assert.deepEqual([offered, lost], [80, 0]);
    assert.deepEqual([answers[200]?.count, answers[503]?.count], [60, 20]);
});

test('an open loop counts answers to requests due in the counted time, and separately answers that arrive in it', async (t) => {
    const answersTo: Record<string, { status: number; afterMs?: number }> = {
        '/0': { status: 201, afterMs: 350 }, // due in the warm-up, answered after it
        '/1': { status: 202 }, // due and answered in the warm-up
        '/5': { status: 503, afterMs: 1_100 }, // due in the counted time, answered after it; a timer may fire a little early
    };
    const { targets, requests } = await playground(t, 12, (path) => answersTo[path] ?? { status: 200 });
    const plan = { targets, rate: 20, connections: 3, warmupS: 0.2, seconds: 0.4 };
    const { answers } = await openLoop(plan, requests, () => {});
    const seen = [201, 202, 503].map((status) => [answers[status]?.count, answers[status]?.inTime]);
    assert.deepEqual(seen, [
        [0, 1],
        [0, 0],
        [1, 0],
    ]);
    assert.equal(answers[200]?.count, 7);
    assert.ok((answers[503]?.latency.p50 ?? 0) >= 1_000);
});

test('an open loop counts the wait for a free client only in the time since a request was due', async (t) => {
    const { targets, requests } = await playground(t, 2, (path) =>
        path === '/0' ? { status: 200, afterMs: 301 } : { status: 202 },
    );
    const plan = { targets, rate: 20, connections: 1, warmupS: 0, seconds: 0.1 };
    const { answers } = await openLoop(plan, requests, () => {});
    const { latency, sinceSent } = answers[202] ?? assert.fail('The second request has no answer.');
    assert.ok(latency.p50 - sinceSent.p50 >= 245, 'it is due 50 ms after the first, which takes 301 ms');
});

test('the duration of refusals is read only from the log lines that a phase has added', async (t) => {
    const { folder } = await playground(t, 0);
    const file = join(folder, 'log');
    const line = (status: number, durationMs: number) => `${JSON.stringify({ status, duration_ms: durationMs })}\n`;
    const before = line(503, 900);
    writeFileSync(file, before + line(200, 800) + line(503, 1.5) + line(503, 2.25));
    assert.equal(await refusalsIn(file, before.length), 2.25);
});
