import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownInputs } from '../../../proof/fuzz/corpus.ts';
import { explore, faultOf } from '../../../proof/fuzz/parsers/explore.ts';
import { target } from '../../../proof/fuzz/parsers/target.ts';
import { seededRandom } from '../../../proof/fuzz/random.ts';
import { TARGETS, targetNamed } from '../../../proof/fuzz/targets/index.ts';

/** Inputs per target. `npm run proof -- fuzz` makes more, and makes new ones from those that reach new code. */
const INPUTS = 300;
/** Longest input, in bytes. Longer ones would take most of the time. */
const MAX_BYTES = 64 << 10;
/** A failure prints its seed; the same seed makes the same inputs. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

for (const each of TARGETS) {
    test(`odd inputs are parsed correctly: ${each.name} (seed ${SEED})`, async () => {
        const { findings } = await explore(
            { ...each, maxBytes: Math.min(each.maxBytes, MAX_BYTES) },
            {
                random: seededRandom(`${SEED} ${each.name}`),
                isOver: (inputs) => inputs >= INPUTS,
            },
        );
        const found = findings.map(({ input, reason }) => `${input.toString('base64').slice(0, 2_000)}\n${reason}`);
        assert.deepEqual(found, []);
    });
}

for (const { target: name, file, input } of knownInputs()) {
    test(`an input that once was a finding is parsed correctly: ${file}`, async () => {
        assert.equal(await faultOf(targetNamed(name), input), undefined);
    });
}

test('the fuzzer finds a wrong result, an error and too much CPU time, each once', async () => {
    const faulty = target({
        name: 'faulty',
        seeds: ['a,b,c'],
        dictionary: ['xy', 'yx'],
        maxBytes: 1 << 14,
        parse(input) {
            const text = input.toString('latin1');
            if (text.includes('xy')) throw new TypeError('no text');
            if (text.length > 10_000) spend(60_000);
            return text.length;
        },
        check(input, length) {
            assert.equal(input.includes('yx') ? -1 : length, input.length, 'another length');
        },
    });
    const { findings } = await explore(faulty, {
        random: seededRandom('faulty'),
        isOver: (inputs) => inputs >= 2_000,
    });
    const reasons = findings.map(({ reason }) => reason.split('\n')[0] ?? '');
    for (const reason of [/^TypeError: no text/, /another length/, /ms of CPU/]) {
        assert.equal(reasons.filter((each) => reason.test(each)).length, 1, `${reason} among ${reasons.join(' | ')}`);
    }
});

/** Uses this much CPU time, in microseconds. */
function spend(cpuUs: number): void {
    const before = process.threadCpuUsage();
    for (;;) {
        const { user, system } = process.threadCpuUsage(before);
        if (user + system >= cpuUs) return;
    }
}
