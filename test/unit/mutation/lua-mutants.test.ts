import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { luaMutants } from '../../../proof/mutation/lua-mutants.ts';

/** The mutants of a program. */
const sources = (program: string): string[] => luaMutants(program).map(({ source }) => source);

describe('a Lua program is changed', () => {
    const changes: Array<[program: string, mutants: string[]]> = [
        ['return a == b', ['return a ~= b']],
        ['return a < b', ['return a <= b', 'return a >= b']],
        ['return a >= b', ['return a > b', 'return a < b']],
        ['return a + b', ['return a - b']],
        ['return a and b', ['return a or b']],
        ['return not a', ['return  a']],
        ['return 10', ['return 11']],
        ['return math.max(a)', ['return math.min(a)']],
        ["return a == 'R'", ["return a ~= 'R'", "return a == 'mutant'"]],
        ['return a', []],
    ];
    for (const [program, mutants] of changes) {
        it(`at one place at a time: ${program}`, () => assert.deepEqual(sources(program), mutants));
    }

    it('but not in comments, in names or in names of Redis commands', () => {
        assert.deepEqual(sources('-- 1 < 2 and not 3\nlocal order = android'), []);
        assert.deepEqual(sources("return redis.call('GET', key)"), []);
    });

    it('by leaving out one statement, and the mutant names its line', () => {
        const program = "if a then\n    redis.call('DEL', key)\n    count = other\nend";
        const without = luaMutants(program).map(({ line, source }) => [
            line,
            source.split('\n').map((text) => text.trim()),
        ]);
        assert.deepEqual(without, [
            [2, ['if a then', '', 'count = other', 'end']],
            [3, ['if a then', "redis.call('DEL', key)", '', 'end']],
        ]);
    });
});
