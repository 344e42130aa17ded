import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * An ordinary client in its own thread, so that an attack that keeps the test's thread busy does not lengthen the
 * client's latencies. It creates a DID, waits for the answer, pauses, and repeats this until it receives a message.
 */

/** URL of the service, and the API key of the client. `mayBeShed`: it repeats a call that a full service has refused. */
export interface ClientData {
    url: string;
    api_key: string;
    mayBeShed: boolean;
}

/** Latencies in milliseconds, and what each failed call got instead of a DID. */
export interface ClientFindings {
    p99: number;
    longest: number;
    failures: string[];
}

/** Pause between two calls, in milliseconds. */
const PAUSE_MS = 10;
/** How often a refused call is repeated. Beyond it: the call has failed. */
const MAX_REPEATS = 10;

const { url, api_key, mayBeShed } = workerData as ClientData; // set by observe()
let isOver = false;
parentPort?.once('message', () => {
    isOver = true;
});

const latencies: number[] = [];
const failures: string[] = [];

/**
 * Creates a DID. While a flood is read in turns on a slow machine, a new connection may wait for its turn until its
 * request is late: the call is then repeated, as RFC 9110 (15.5.9) says. A call that a full service refuses is repeated
 * after the time in Retry-After. The latency of a call includes these waits.
 */
async function createDid(repeats = 0): Promise<void> {
    const headers = { authorization: `Bearer ${api_key}` };
    try {
        const response = await fetch(`${url}/v1/did`, { method: 'POST', headers });
        const text = await response.text();
        if (response.status === 408) await createDid(repeats);
        else if (mayBeShed && repeats < MAX_REPEATS && text.includes('The service is at capacity')) {
            await delay(1_000 * Number(response.headers.get('retry-after')));
            await createDid(repeats + 1);
        } else if (response.status !== 201) failures.push(`${response.status} ${text}`);
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
    failures,
};
parentPort?.postMessage(findings);
