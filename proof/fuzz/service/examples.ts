import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type { Endpoint } from '../../../gateway/endpoint.ts';
import { type EndpointId, endpointTable } from '../../../gateway/endpoints/index.ts';
import { type Call, GATEWAYS, INTERNAL_SECRET } from '../../../test/e2e/support/client.ts';
import { exampleCall } from '../../../test/e2e/support/examples.ts';
import type { RawAnswer } from '../../../test/e2e/support/raw.ts';
import { mutate, mutationsOf, type WireCall } from './mutations.ts';

/**
 * Longest time that an answer may take, in milliseconds: twice the service's own deadline, because the machine may be
 * busy.
 */
const HANG_MS = 20_000;
/**
 * Mutants of one example before a new example is made: a mutant that is a good request may use up the example's record.
 */
const RUNS_PER_EXAMPLE = 20;

export const ENDPOINTS: ReadonlyArray<Endpoint & { id: EndpointId }> = endpointTable({
    version: '',
    cache: async () => {},
    clock: Date.now,
});

/** The media types of answers that have no envelope. */
const DOCUMENT_TYPES = new Set([
    'application/x-ndjson; charset=utf-8',
    ...ENDPOINTS.map(({ document }) => document?.contentType ?? ''),
]);

/**
 * Sends `runs` mutants of an endpoint's example. Each must be answered in time, in the envelope or in the form that wallets
 * read, and never with a 5xx.
 * @throws Error with the smallest mutant that fails, and the seed that repeats it
 */
export async function attackExample(
    endpoint: Endpoint & { id: EndpointId },
    { runs, seed }: { runs: number; seed: number },
): Promise<void> {
    let example: Call;
    let made = 0;
    const from = `127.77.${ENDPOINTS.indexOf(endpoint)}.1`; // refusals count against this endpoint's own address
    await fc.assert(
        fc.asyncProperty(mutationsOf(endpoint), fc.nat({ max: 1 }), async (mutations, gateway) => {
            if (made++ % RUNS_PER_EXAMPLE === 0) example = await exampleCall(endpoint.id);
            const call = mutate(example, endpoint, mutations);
            checkAnswer(endpoint, call, await answerTo(call, gateway, from));
        }),
        { numRuns: runs, seed },
    );
}

/** Repeats a call that is refused for a moment, because others do as much as the gateway allows at a time. */
async function answerTo(...call: Parameters<typeof exchange>): Promise<RawAnswer> {
    const giveUp = performance.now() + HANG_MS;
    for (;;) {
        const answer = await exchange(...call);
        const seconds = Number(answer.headers['retry-after']);
        if (answer.status !== 503 || !(seconds > 0) || performance.now() > giveUp) return answer;
        await delay(seconds * 1_000);
    }
}

/** How long a gateway may take to report that it is healthy, in milliseconds. A busy machine may be late for a while. */
const HEALTHY_WITHIN_MS = 30_000;

/** Checks that every gateway still reports that it is healthy, or does so again soon. */
export async function checkHealth(): Promise<void> {
    const giveUp = performance.now() + HEALTHY_WITHIN_MS;
    for (const url of GATEWAYS) {
        for (;;) {
            const response = await fetch(`${url}/internal/health`);
            const { status } = (await response.json()) as { status: string }; // health.test.ts checks this type
            if (response.status === 200 && status === 'healthy') break;
            assert.ok(performance.now() < giveUp, `${url} answers ${response.status} and says that it is ${status}`);
            await delay(500);
        }
    }
}

function exchange({ method, path, headers, body }: WireCall, gateway: number, from: string): Promise<RawAnswer> {
    const { hostname, port, host } = new URL(GATEWAYS[gateway] as string); // there are two gateways
    const framing = body.length > 0 ? ['Content-Length', String(body.length)] : [];
    return new Promise((resolve, reject) => {
        const sent = request({
            hostname,
            port,
            method,
            path,
            localAddress: from,
            agent: false,
            signal: AbortSignal.timeout(HANG_MS),
            headers: ['Host', host, ...framing, ...headers.flat()],
        });
        sent.on('error', reject);
        sent.on('response', (response) => {
            text(response).then(
                (answer) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answer }),
                reject,
            );
        });
        sent.end(body);
    });
}

function checkAnswer(
    { bare, problem }: Endpoint,
    { method, headers }: WireCall,
    { status, headers: answered, text }: RawAnswer,
): void {
    const isOk = status >= 200 && status < 300;
    assert.ok(isOk || (status >= 400 && status < 500), `${status}: ${text.slice(0, 500)}`);
    const isPublic = answered['cache-control']?.includes('public') ?? false;
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id']) {
        assert.equal(answered[name] === undefined, isPublic, name); // proxies give public answers to other clients
    }
    assert.ok(!text.includes(INTERNAL_SECRET));
    for (const [name, value] of headers) {
        if (name === 'Authorization' && value.length > 40) assert.ok(!text.includes(value.slice('Bearer '.length)));
    }
    assert.doesNotMatch(text, /\bat .*\.(ts|js):\d|node_modules|SELECT |INSERT /);
    if (method === 'HEAD') return;
    if (method === 'OPTIONS' && status === 204) return;
    if (isOk && DOCUMENT_TYPES.has(answered['content-type'] ?? 'none')) return;
    assert.equal(answered['content-type'], 'application/json; charset=utf-8');
    const members = Object.keys(JSON.parse(text)).join(' ');
    if (bare && isOk) return;
    // The mutated path of a wallet's call may be that of another endpoint, or of none.
    if (problem && members === 'error error_description') return;
    assert.equal(members, isOk ? 'status message data' : 'status message error');
}
