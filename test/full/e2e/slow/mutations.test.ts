import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attackExample, checkHealth, ENDPOINTS } from '../../../../proof/fuzz/service/examples.ts';
import { expectOk } from '../../../e2e/support/client.ts';
import { exampleCall } from '../../../e2e/support/examples.ts';

/** Number of mutants of each endpoint's example. `npm run proof -- fuzz` makes more. */
const RUNS = 40;
/** The test titles contain the seed. The same seed makes the same mutants. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

describe(`a mutant of a valid request (seed ${SEED})`, { concurrency: 4 }, () => {
    for (const endpoint of ENDPOINTS) {
        it(`to ${endpoint.id} is answered quickly, in its form, and never with a 5xx`, async () => {
            await attackExample(endpoint, { runs: RUNS, seed: SEED });
            await checkHealth();
        });
    }
});

it('valid requests are served after all mutants', async () => {
    const call = await exampleCall('credentials.verify');
    for (const gateway of [0, 1]) assert.equal((await expectOk(200, { ...call, gateway })).valid, true);
});
