import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMON_OPTIONS, type Command, type Option } from '../../../cli/src/command.ts';
import { commandHelp } from '../../../cli/src/help.ts';
import { parseArguments } from '../../../cli/src/parse.ts';
import { COMMANDS } from '../../../cli/src/table.ts';
import { ran } from './worlds.ts';

/** Splits a line as a shell does, up to a redirection. */
function words(line: string): string[] {
    const found = Array.from(line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g), ([, a, b, c]) => a ?? b ?? c ?? '');
    const end = found.findIndex((word) => ['<', '>', '|'].includes(word));
    return end < 0 ? found : found.slice(0, end);
}

const optionsOf = (command: Command): Array<[string, Option]> => Object.entries(command.options ?? {});

describe('the table of commands', () => {
    for (const command of COMMANDS) {
        it(`has examples of "cred ${command.name}" that its parser accepts`, () => {
            for (const { line } of command.examples) {
                const [program, ...args] = words(line);
                const name = command.name.split(' ');
                assert.equal(program, 'cred');
                assert.deepEqual(args.slice(0, name.length), name);
                parseArguments(command, args.slice(name.length));
            }
        });

        it(`shows every option and an example in the help of "cred ${command.name}"`, async () => {
            const { code, stdout } = await ran([...command.name.split(' '), '--help']);
            assert.equal(code, 0);
            assert.equal(stdout, commandHelp(command));
            for (const name of [...optionsOf(command).map(([option]) => option), ...Object.keys(COMMON_OPTIONS)]) {
                assert.match(stdout, new RegExp(`^  --${name}\\b`, 'm'));
            }
            assert.ok(command.examples.every(({ line }) => stdout.includes(line)));
        });
    }

    it('has no option that takes a secret', () => {
        const names = COMMANDS.flatMap((command) =>
            optionsOf(command).flatMap(([name, { value }]) => (value !== undefined && value !== 'FILE' ? [name] : [])),
        );
        assert.deepEqual(
            names.filter((name) => /pass|secret|key|token|session/.test(name)),
            [],
        );
    });

    it('has no option that takes a value in one command and none in another', () => {
        const options = COMMANDS.flatMap(optionsOf);
        const switches = new Set(options.flatMap(([name, { value }]) => (value === undefined ? [name] : [])));
        const both = options.filter(([name, { value }]) => value !== undefined && switches.has(name));
        assert.deepEqual(both, []);
    });

    it('says in the help when continuing a batch would issue twice', async () => {
        const { stdout } = await ran(['batch', 'issue', '--help']);
        assert.match(stdout.replaceAll(/\s+/g, ' '), /For 24 hours nothing is issued twice\. .*refused/);
    });

    it('names every command once, and none twice', () => {
        const names = COMMANDS.map(({ name }) => name);
        assert.equal(new Set(names).size, names.length);
    });
});

describe('the overview', () => {
    it('lists every command', async () => {
        for (const args of [[], ['--help'], ['help'], ['-h']]) {
            const { code, stdout } = await ran(args);
            assert.equal(code, 0);
            for (const { name } of COMMANDS) assert.match(stdout, new RegExp(`^  ${name}  `, 'm'));
        }
    });

    it('lists the commands of a group', async () => {
        const { stdout } = await ran(['keys']);
        assert.match(stdout, /keys rotate/);
        assert.doesNotMatch(stdout, /wallet/);
    });
});
