import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * An ordinary client in its own thread, so that an attack that keeps the test's thread busy does not lengthen the
 * client's latencies. It creates a DID, waits for the answer, pauses, and repeats this until it receives a message.
 */

/** URL of the service, and the API key of the client. */
export interface ClientData {
    url: string;
    api_key: string;
}

/** Latencies in milliseconds, and how many calls failed. */
export interface ClientFindings {
    p99: number;
    longest: number;
    failed: number;
}

/** Pause between two calls, in milliseconds. */
const PAUSE_MS = 10;

const { url, api_key } = workerData as ClientData; // set by observe()
let isOver = false;
parentPort?.once('message', () => {
    isOver = true;
});

const latencies: number[] = [];
let failed = 0;
do {
    const began = performance.now();
    const headers = { authorization: `Bearer ${api_key}` };
    const response = await fetch(`${url}/v1/did`, { method: 'POST', headers }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => {});
    if (response?.status !== 201) failed++;
    latencies.push(performance.now() - began);
    await delay(PAUSE_MS);
} while (!isOver);
latencies.sort((one, other) => one - other);
const findings: ClientFindings = {
    p99: latencies[Math.ceil(0.99 * latencies.length) - 1] ?? Number.NaN,
    longest: latencies.at(-1) ?? Number.NaN,
    failed,
};
parentPort?.postMessage(findings);
