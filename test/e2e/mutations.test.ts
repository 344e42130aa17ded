import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { endpointTable } from '../../gateway/endpoints/index.ts';
import { type Call, expectOk, GATEWAYS, INTERNAL_SECRET } from './client.ts';
import { exampleCall } from './examples.ts';
import { mutate, mutationsOf, type WireCall } from './mutations.ts';
import type { RawAnswer } from './raw.ts';

/** Mutants of each endpoint's example. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 40);
/** A failure prints its seed; the same seed makes the same mutants. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** No answer may take longer, in milliseconds. */
const HANG_MS = 5_000;
/** A mutant may well be a good request, and use up what the example is about. */
const RUNS_PER_EXAMPLE = 20;

const TABLE = endpointTable({ version: '', cache: async () => {}, clock: Date.now });

describe(`whatever is done to a good request (seed ${SEED})`, { concurrency: 4 }, () => {
    for (const [at, endpoint] of TABLE.entries()) {
        it(`${endpoint.id} answers in the envelope, soon, and never with a 5xx`, async () => {
            let example: Call;
            let runs = 0;
            const from = `127.77.${at}.1`; // what is refused counts against an address of its own
            await fc.assert(
                fc.asyncProperty(mutationsOf(endpoint), fc.nat({ max: 1 }), async (mutations, gateway) => {
                    if (runs++ % RUNS_PER_EXAMPLE === 0) example = await exampleCall(endpoint.id);
                    const call = mutate(example, endpoint, mutations);
                    checkAnswer(call, await exchange(call, gateway, from));
                }),
                { numRuns: RUNS, seed: SEED },
            );
            for (const url of GATEWAYS) {
                const response = await fetch(`${url}/internal/health`);
                const { status } = (await response.json()) as { status: string }; // health.test.ts holds it to that
                assert.deepEqual([response.status, status], [200, 'healthy']);
            }
        });
    }
});

it('after all that, good requests are served as ever', async () => {
    const call = await exampleCall('credentials.verify');
    for (const gateway of [0, 1]) assert.equal((await expectOk(200, { ...call, gateway })).valid, true);
});

function exchange({ method, path, headers, body }: WireCall, gateway: number, from: string): Promise<RawAnswer> {
    const { hostname, port, host } = new URL(GATEWAYS[gateway] as string); // there are two
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

function checkAnswer({ method, path, headers }: WireCall, { status, headers: answered, text }: RawAnswer): void {
    const is_ok = status >= 200 && status < 300;
    assert.ok(is_ok || (status >= 400 && status < 500), `${status}: ${text.slice(0, 500)}`);
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
        assert.match(String(answered[name]), /^\d+$/, name);
    }
    assert.ok(answered['x-request-id']);
    assert.ok(!text.includes(INTERNAL_SECRET));
    for (const [name, value] of headers) {
        if (name === 'Authorization' && value.length > 40) assert.ok(!text.includes(value.slice('Bearer '.length)));
    }
    assert.doesNotMatch(text, /\bat .*\.(ts|js):\d|node_modules|SELECT |INSERT /);
    if (method === 'HEAD') return;
    if (method === 'OPTIONS' && status === 204) return;
    assert.equal(answered['content-type'], 'application/json; charset=utf-8');
    const body = JSON.parse(text);
    if (path.startsWith('/internal/health') && is_ok) return;
    assert.deepEqual(Object.keys(body), is_ok ? ['status', 'message', 'data'] : ['status', 'message', 'error']);
}
