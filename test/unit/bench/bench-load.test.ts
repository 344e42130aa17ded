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

/** A server that notes the paths it is asked for, and requests for `/0`, `/1`, … as the load would read them. */
async function playground(
    t: TestContext,
    count: number,
    answerTo: (path: string) => { status: number; after_ms?: number } = () => ({ status: 200 }),
) {
    const asked: string[] = [];
    const server = createServer((request, response) => {
        const path = request.url ?? '';
        asked.push(path);
        const { status, after_ms = 0 } = answerTo(path);
        setTimeout(() => response.writeHead(status, { 'Content-Length': 2 }).end('{}'), after_ms);
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

test('a closed loop sends each request once and ends when they are used up', async (t) => {
    const { asked, paths, targets, requests } = await playground(t, 500);
    const plan = { targets, connections: 7, expected: { status: 200 }, repeat: false, warmup_s: 0, seconds: LONG_S };
    const { errors } = await closedLoop(plan, requests, () => {});
    assert.equal(errors, 0);
    assert.deepEqual(asked.toSorted(), paths.toSorted());
});

test('a closed loop that may repeat begins again with the first, and counts what is refused as errors', async (t) => {
    const { asked, paths, targets, requests } = await playground(t, 5, (path) => ({
        status: path === '/3' ? 429 : 200,
    }));
    const plan = { targets, connections: 1, expected: { status: 200 }, repeat: true, warmup_s: 0, seconds: 1 };
    const { errors, first_error } = await closedLoop(plan, requests, () => {});
    assert.deepEqual(asked.slice(0, 7), [...paths, '/0', '/1']);
    assert.equal(errors, asked.filter((path) => path === '/3').length);
    assert.match(first_error ?? '', /^HTTP\/1\.1 429/);
});

test('an open loop offers what is due and tells the answers apart by status', async (t) => {
    const { asked, targets, requests } = await playground(t, 4, (path) => ({ status: path === '/3' ? 503 : 200 }));
    const plan = { targets, rate: 200, connections: 3, warmup_s: 0.1, seconds: 0.4 };
    const { offered, answers, lost } = await openLoop(plan, requests, () => {});
    assert.equal(asked.length, 100);
    assert.deepEqual([offered, lost], [80, 0]);
    assert.deepEqual([answers[200]?.count, answers[503]?.count], [60, 20]);
});

test('of what was due in the counted time all answers count, and in time are those that came in it', async (t) => {
    const answers_to: Record<string, { status: number; after_ms?: number }> = {
        '/0': { status: 201, after_ms: 350 }, // due in the warm-up, answered after it
        '/1': { status: 202 }, // both in the warm-up
        '/5': { status: 503, after_ms: 1_000 }, // due in the counted time, answered after it
    };
    const { targets, requests } = await playground(t, 12, (path) => answers_to[path] ?? { status: 200 });
    const plan = { targets, rate: 20, connections: 3, warmup_s: 0.2, seconds: 0.4 };
    const { answers } = await openLoop(plan, requests, () => {});
    const seen = [201, 202, 503].map((status) => [answers[status]?.count, answers[status]?.in_time]);
    assert.deepEqual(seen, [
        [0, 1],
        [0, 0],
        [1, 0],
    ]);
    assert.equal(answers[200]?.count, 7);
    assert.ok((answers[503]?.latency.p50 ?? 0) >= 1_000);
});

test('the time of refusals is read from the lines that a phase has added to the log', async (t) => {
    const { folder } = await playground(t, 0);
    const file = join(folder, 'log');
    const line = (status: number, duration_ms: number) => `${JSON.stringify({ status, duration_ms })}\n`;
    const before = line(503, 900);
    writeFileSync(file, before + line(200, 800) + line(503, 1.5) + line(503, 2.25));
    assert.equal(await refusalsIn(file, before.length), 2.25);
});
