import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PARTS } from '../../../../proof/fuzz/service/parts.ts';
import { closeClients } from '../../../e2e/support/grpc.ts';

/** Number of inputs for each part of the fuzzer. `npm run proof -- fuzz` makes more. */
const INPUTS: Record<string, number> = { 'http-raw': 160, 'grpc-calls': 320, 'grpc-frames': 64 };
/** The test titles contain the seed. The same seed makes the same inputs. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

after(closeClients);

for (const [name, most] of Object.entries(INPUTS)) {
    test(`every input of the fuzzer gets a correct answer: ${name} (seed ${SEED})`, async () => {
        const explored = await PARTS[name]?.({ seed: SEED, isOver: (inputs) => inputs >= most });
        assert.ok(explored && explored.inputs >= most);
        const found = explored.findings.map(
            ({ input, reason }) => `${input.toString('base64').slice(0, 2_000)}\n${reason}`,
        );
        assert.deepEqual(found, []);
    });
}
