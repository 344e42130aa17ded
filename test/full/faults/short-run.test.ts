import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parseFaultOptions } from './options.ts';
import { SCENARIOS } from './scenarios/index.ts';

/** Arguments for a few of the scenarios of `npm run proof -- faults`, with shorter faults. */
const SHORT = ['F2', 'F4', '--form', 'together', '--seconds', '3'];

describe('the fault scenarios', () => {
    it('cover F1 to F24', () => {
        const ids = [...new Set(SCENARIOS.map(({ id }) => id))];
        assert.deepEqual(
            ids,
            Array.from({ length: 24 }, (_, index) => `F${index + 1}`),
        );
    });

    it('are chosen by id and form', () => {
        assert.deepEqual(parseFaultOptions(['F2', 'F4', '--seconds', '30']), { ids: ['F2', 'F4'], seconds: 30 });
        assert.deepEqual(parseFaultOptions(['--form', 'apart']), { ids: [], seconds: 20, form: 'apart' });
        for (const wrong of [['G1'], ['--form', 'other'], ['--seconds', 'soon'], ['--minutes', '1']]) {
            assert.throws(() => parseFaultOptions(wrong));
        }
    });

    it(`lose no acknowledged write in a short run of ${SHORT.join(' ')}`, async () => {
        const args = ['test/full/faults/faults.ts', ...SHORT];
        const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => {
            throw new Error(error.stdout);
        });
        console.log(stdout);
        assert.match(stdout, /[1-9][\d,]* acknowledged, 0 lost/);
    });
});
