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

/** Latencies in milliseconds, the calls that were refused as one too many, and what each failed call got instead of a DID. */
export interface ClientFindings {
    p99: number;
    longest: number;
    shed: number;
    failures: string[];
}

/** Pause between two calls, in milliseconds. */
const PAUSE_MS = 10;

const { url, api_key } = workerData as ClientData; // set by observe()
let isOver = false;
parentPort?.once('message', () => {
    isOver = true;
});

const latencies: number[] = [];
const failures: string[] = [];
let shed = 0;

/**
 * Creates a DID. While a flood is read in turns on a slow machine, a new connection may wait for its turn until its
 * request is late: the call is then repeated, as RFC 9110 (15.5.9) says. So is one that a service at capacity refused,
 * when it says. The latency of the call includes these waits.
 */
async function createDid(): Promise<void> {
    const headers = { authorization: `Bearer ${api_key}` };
    try {
        const response = await fetch(`${url}/v1/did`, { method: 'POST', headers });
        const text = await response.text();
        if (response.status === 408) return await createDid();
        if (response.status === 503 && response.headers.has('retry-after')) {
            shed++;
            await delay(1_000 * Number(response.headers.get('retry-after')));
            return await createDid();
        }
        if (response.status !== 201) failures.push(`${response.status} ${text}`);
    } catch (error) {
        failures.push(String(error));
    }
}

do {
    const began = performance.now();
    await createDid();
    latencies.push(performance.now() - began);
    await delay(PAUSE_MS);
} while (!isOver);
latencies.sort((one, other) => one - other);
const findings: ClientFindings = {
    p99: latencies[Math.ceil(0.99 * latencies.length) - 1] ?? Number.NaN,
    longest: latencies.at(-1) ?? Number.NaN,
    shed,
    failures,
};
parentPort?.postMessage(findings);
