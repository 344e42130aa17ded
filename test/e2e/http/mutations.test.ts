import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attackExample, checkHealth, ENDPOINTS } from '../../fuzz/service/examples.ts';
import { expectOk } from '../support/client.ts';
import { exampleCall } from '../support/examples.ts';

/** Mutants of each endpoint's example; `npm run fuzz` makes more. */
const RUNS = 40;
/** A failure prints its seed; the same seed makes the same mutants. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

describe(`whatever is done to a good request (seed ${SEED})`, { concurrency: 4 }, () => {
    for (const endpoint of ENDPOINTS) {
        it(`${endpoint.id} answers in the envelope, soon, and never with a 5xx`, async () => {
            await attackExample(endpoint, { runs: RUNS, seed: SEED });
            await checkHealth();
        });
    }
});

it('after all that, good requests are served as ever', async () => {
    const call = await exampleCall('credentials.verify');
    for (const gateway of [0, 1]) assert.equal((await expectOk(200, { ...call, gateway })).valid, true);
});
