import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certified } from '../../test/support/certificates.ts';
import { type Latency, latencyOf } from '../percentiles.ts';

/**
 * A process with receivers of webhooks, each at a port of its own, as if it was a host of its own. Some of them may hang:
 * they read a delivery and never answer.
 */

export type ReceiversTask =
    /** Starts so many receivers. Answers with their ports. */
    | { start: number; certified: Certified }
    /** Forgets what has arrived. From now on the receivers with these indexes count nothing, and hang if they are told so. */
    | { uncounted: readonly number[]; hang: boolean }
    /** Answers with Received when so many events have arrived. */
    | { awaited: number };

export interface Received {
    /** From the commit of an event to its first receipt. */
    latency: Latency;
    /** From the first receipt to the last one. */
    seconds: number;
    /** CPU time since it forgot. */
    cpuS: number;
}

/** The server tells its own addresses from others; it is not 127.0.0.1, which is the gateway's. */
const HOST = '127.0.0.2';

let uncounted = new Set<number>();
let hang = false;
let cpuBefore = process.cpuUsage();
let began = Number.NaN;
let ended = Number.NaN;
const latencies = new Map<string, number>();
let awaited = Number.POSITIVE_INFINITY;

process.on('message', async (task: ReceiversTask) => {
    if ('start' in task) {
        const all = Array.from({ length: task.start }, (_, index) => startReceiver(index, task.certified));
        return process.send?.(await Promise.all(all));
    }
    if ('awaited' in task) {
        awaited = task.awaited;
        return answerIfComplete();
    }
    uncounted = new Set(task.uncounted);
    hang = task.hang;
    latencies.clear();
    began = Number.NaN;
    cpuBefore = process.cpuUsage();
    return process.send?.(true);
});

async function startReceiver(index: number, certified: Certified): Promise<number> {
    const server = createServer(certified, async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        if (uncounted.has(index) && hang) return;
        response.writeHead(204).end();
        if (!uncounted.has(index)) count(String(request.headers['webhook-id']), Buffer.concat(chunks).toString());
    }).listen(0, HOST);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // it listens on TCP
}

function count(id: string, body: string): void {
    if (latencies.has(id)) return;
    latencies.set(id, Date.now() - Date.parse(JSON.parse(body).timestamp));
    ended = performance.now();
    if (Number.isNaN(began)) began = ended;
    answerIfComplete();
}

function answerIfComplete(): void {
    if (latencies.size < awaited) return;
    awaited = Number.POSITIVE_INFINITY;
    const { user, system } = process.cpuUsage(cpuBefore);
    const seconds = (ended - began) / 1_000;
    const received: Received = { latency: latencyOf([...latencies.values()]), seconds, cpuS: (user + system) / 1e6 };
    process.send?.(received);
}
