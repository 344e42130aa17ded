import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { COMMANDS } from '../../../cli/src/table.ts';
import { ran } from './worlds.ts';

const { stdout: script } = await ran(['completion', 'bash']);

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
    const complete = `COMP_WORDS=(cred "$@"); COMP_CWORD=$#; _cred; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const output = execFileSync('bash', ['-c', `${script}\n${complete}`, 'bash', ...words], { encoding: 'utf8' });
    return output.trimEnd().split('\n');
}

describe('completion', () => {
    it('offers commands, their second words, options and values in bash', () => {
        const firstWords = new Set(COMMANDS.map(({ name }) => name.split(' ')[0]));
        assert.deepEqual(new Set(offered('')), firstWords);
        assert.deepEqual(offered('ver'), ['verify', 'verify-presentation']);
        assert.deepEqual(offered('keys', ''), ['create', 'list', 'rotate', 'revoke']);
        assert.deepEqual(offered('keys', 'create', 'x', '--t'), ['--tier']);
        assert.deepEqual(offered('keys', 'create', 'x', '--tier', 'e'), ['enterprise']);
        assert.deepEqual(offered('batch', 'issue', '--from', 'package.j'), ['package.json']);
        assert.deepEqual(offered('completion', 'f'), ['fish']);
    });

    it('offers options behind a switch, and files behind an option with a value, in bash', () => {
        assert.deepEqual(offered('issue', '--status-list', '--exp'), ['--expires']);
        assert.deepEqual(offered('verify', '--list', 'package.j'), ['package.json']);
    });

    it('names every command and option in every shell', async () => {
        for (const shell of ['bash', 'zsh', 'fish']) {
            const { stdout } = await ran(['completion', shell]);
            for (const { name, options = {} } of COMMANDS) {
                for (const word of [...name.split(' '), ...Object.keys(options)])
                    assert.ok(stdout.includes(word), word);
            }
        }
    });
});
