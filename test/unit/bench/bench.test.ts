import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floorOf, type PartCosts } from '../../../bench/floors/floor.ts';
import { placesOf } from '../../../bench/growth/places.ts';
import { relativeTo } from '../../../bench/growth/report.ts';
import type { Point } from '../../../bench/growth/turns.ts';
import { parseAnswer } from '../../../bench/load/connection.ts';
import { tally } from '../../../bench/load/tally.ts';
import { outcomeOf } from '../../../bench/outcome.ts';
import { latencyOf, median } from '../../../bench/percentiles.ts';
import { cpuOf, parseStat } from '../../../bench/proc.ts';
import { areaOf, selfTimes } from '../../../bench/profile/areas.ts';

function stat(pid: number, parent: number, ticks: { own: number; endedChildren: number }, name = 'node'): string {
    const times = [ticks.own - 1, 1, ticks.endedChildren - 1, 1];
    return `${pid} (${name}) S ${parent} 1 1 0 -1 4194304 1 2 3 4 ${times.join(' ')} 20 0 1 0 100 1000 10`;
}

function answer(status: number, body: string): Buffer {
    return Buffer.from(`HTTP/1.1 ${status} Something\r\nA: b\r\nContent-Length: ${body.length}\r\nC: d\r\n\r\n${body}`);
}

test('a percentile is the smallest value that at least this share of the values does not exceed', () => {
    const values = Array.from({ length: 151 }, (_, index) => 151 - index);
    assert.deepEqual(latencyOf(values), { p50: 76, p99: 150, max: 151 });
    assert.deepEqual(latencyOf([7]), { p50: 7, p99: 7, max: 7 });
    assert.deepEqual(latencyOf([]), { p50: 0, p99: 0, max: 0 });
});

test('the median of an even number of values lies between the two in the middle', () => {
    assert.equal(median([5, 1, 3]), 3);
    assert.equal(median([4, 1, 3, 100]), 3.5);
});

test('the CPU time of a process is read correctly whatever its name contains', () => {
    const read = parseStat(stat(42, 7, { own: 150, endedChildren: 250 }, 'a) R 1 (b'));
    assert.deepEqual(read, { pid: 42, parent: 7, cpuS: 1.5, endedChildrenS: 2.5 });
});

test('the CPU time of a group includes its processes, their running children and their ended children', () => {
    const stats = [
        stat(10, 1, { own: 100, endedChildren: 30 }),
        stat(11, 10, { own: 20, endedChildren: 2 }),
        stat(12, 11, { own: 5, endedChildren: 0 }),
        stat(20, 1, { own: 900, endedChildren: 0 }),
    ].map(parseStat);
    assert.deepEqual(cpuOf({ postgres: [10], gone: [99] }, stats), { postgres: 1.57, gone: 0 });
});

test('a process and its children count only for their own group, even if another group started the process', () => {
    const stats = [
        stat(10, 1, { own: 100, endedChildren: 30 }),
        stat(11, 10, { own: 20, endedChildren: 2 }),
        stat(12, 11, { own: 5, endedChildren: 0 }),
    ].map(parseStat);
    assert.deepEqual(cpuOf({ service: [10], postgres: [11] }, stats), { service: 1.3, postgres: 0.27 });
});

test('the floor of a job is the cost of HTTP, of the parts of every request, and of each part times its count', () => {
    const costs: PartCosts = {
        limit: 10,
        sign: 30,
        verify: 70,
        key_pair: 1_000,
        credential_row: 1_000,
        did_row: 1_000,
        presentation_row: 25,
        find: 1_000,
        page: 1_000,
        argon2id: 1_000,
        log_line: 11,
        metrics: 2,
    };
    const { parts, totalUs } = floorOf({ limit: 1, verify: 3, sign: 1, presentation_row: 1 }, costs, 60);
    assert.deepEqual(parts, {
        http: 60,
        limit: 10,
        verify: 210,
        sign: 30,
        presentation_row: 25,
        log_line: 11,
        metrics: 2,
    });
    assert.equal(totalUs, 348);
});

test('requests per CPU-second include the CPU time of every process except the load', () => {
    const measured = {
        requests: 1_000,
        seconds: 2,
        errors: 0,
        firstError: undefined,
        latency: latencyOf([1]),
        sample: '',
        cpuS: { service: 0.3, postgres: 0.1, redis: 0.1, load: 5 },
        peakMib: {},
    };
    const outcome = outcomeOf('verify', measured);
    assert.equal(outcome.requestsPerSecond, 500);
    assert.equal(outcome.requestsPerCpuSecond, 2_000);
    assert.equal(outcome.cpuUsPerRequest, 500);
    assert.equal(outcome.itemsPerCpuSecond, 2_000);
    assert.equal(outcomeOf('batch-verify', measured, 100).itemsPerCpuSecond, 200_000);
});

test('an answer is complete when it has its Content-Length, and two answers at once are refused', () => {
    const whole = answer(201, '{"data":1}');
    for (let length = 0; length < whole.length; length++) {
        assert.equal(parseAnswer(whole.subarray(0, length)), undefined);
    }
    assert.equal(parseAnswer(whole)?.status, 201);
    assert.throws(() => parseAnswer(Buffer.concat([whole, whole])), /more than one answer/);
    assert.throws(() => parseAnswer(Buffer.from('HTTP/1.1 200 OK\r\n\r\n')), /neither a Content-Length nor chunks/);
});

test('an answer in chunks is complete when the last chunk has arrived', () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    const whole = Buffer.from(`${head}8\r\n{"data":\r\n2\r\n1}\r\n0\r\n\r\n`);
    for (let length = 0; length < whole.length; length++) {
        assert.equal(parseAnswer(whole.subarray(0, length)), undefined);
    }
    assert.equal(parseAnswer(whole)?.bytes.toString(), `${head}{"data":1}`);
    assert.throws(() => parseAnswer(Buffer.concat([whole, whole])), /more than one answer/);
});

test('a tally counts only answers between begin and end, but an answer with another status or text is an error at any time', () => {
    const counted = tally({ status: 200, text: 'text' });
    const add = (status: number, text = 'a text') => counted.add({ status, bytes: answer(status, text) }, 1);
    add(503);
    add(200);
    counted.begin();
    add(200);
    add(200);
    add(500);
    add(200, 'another');
    counted.end();
    add(200);
    const { requests, errors, firstError, sample } = counted.result();
    assert.deepEqual([requests, errors], [4, 3]);
    assert.match(firstError ?? '', /^HTTP\/1\.1 503 /);
    assert.match(sample, /^HTTP\/1\.1 200 .*\r\n\r\na text$/s);
});

test('the places of each part of the growth benchmark differ only in the value that grows', () => {
    const counts = { credentials: [10, 20, 30], accounts: [1, 5], gateways: [1, 4] };
    const at = { rows: 20, accounts: 1, gateways: 1, transport: 'local' };
    assert.deepEqual(
        placesOf('credentials', counts),
        [10, 20, 30].map((rows) => ({ ...at, rows })),
    );
    assert.deepEqual(placesOf('accounts', counts), [at, { ...at, accounts: 5 }]);
    const overGrpc = { ...at, accounts: 5, transport: 'grpc' };
    assert.deepEqual(placesOf('gateways', counts), [overGrpc, { ...overGrpc, gateways: 4 }]);
});

test('points are compared round by round, so that a machine that slows down does not look like a growing cost', () => {
    const point = (...costs: number[]): Point => ({
        job: 'verify',
        rows: 1,
        accounts: 1,
        gateways: 1,
        transport: 'local',
        errors: 0,
        firstError: undefined,
        runs: costs.map((cpuUsPerRequest) => ({ requestsPerSecond: 1, cpuUsPerRequest, cpuS: {} })),
    });
    assert.deepEqual(relativeTo(point(100, 200, 400), point(110, 210, 400)), { median: 1.05, least: 1, most: 1.1 });
});

test('a profile charges native code to the file that calls it, and idle time to no file', () => {
    const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 0 });
    const nodes = [
        { id: 1, callFrame: frame('(root)', ''), children: [2, 4, 5] },
        { id: 2, callFrame: frame('writeText', 'file:///app/gateway/http/envelope.ts'), children: [3] },
        { id: 3, callFrame: frame('writev', '') },
        { id: 4, callFrame: frame('(idle)', '') },
        { id: 5, callFrame: frame('(garbage collector)', '') },
    ];
    const profile = { nodes, samples: [2, 3, 4, 5], timeDeltas: [10, 20, 400, 5] };
    assert.deepEqual(Object.fromEntries(selfTimes(profile, areaOf)), {
        'writing the answer': 30,
        'garbage collection': 5,
    });
});
