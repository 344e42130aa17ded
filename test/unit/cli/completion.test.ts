import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { COMMANDS } from '../../../cli/src/table.ts';
import { ran } from './worlds.ts';

const FISH = '/usr/bin/fish';
const skip = existsSync(FISH) ? false : `no fish: ${FISH} (Debian's package fish)`;

const cwd = mkdtempSync(join(tmpdir(), 'completion-'));
after(() => rmSync(cwd, { recursive: true }));
mkdirSync(join(cwd, 'my folder'));
for (const name of ['a file.txt', 'package.json', 'st*r.txt']) writeFileSync(join(cwd, name), '');

const [bash, fish] = await Promise.all(
    ['bash', 'fish'].map(async (shell) => (await ran(['completion', shell])).stdout),
);
const listed = (output: string): string[] => (output === '\n' ? [] : output.trimEnd().split('\n'));

/** What bash offers for the last of these words. It splits words at @, but replaces @ and what follows together. */
function offered(...words: string[]): string[] {
    const split = words.flatMap((word) => (/^@./.test(word) ? ['@', word.slice(1)] : [word]));
    const complete = `word="$1"; shift; COMP_WORDS=(cred "$@"); COMP_CWORD=$#
        _cred cred "$word" "\${COMP_WORDS[COMP_CWORD-1]}"; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const args = ['-c', `${bash}\n${complete}`, 'bash', words.at(-1) ?? '', ...split];
    return listed(execFileSync('bash', args, { cwd, encoding: 'utf8' }));
}

/** What fish offers at the end of a line, without its descriptions. */
function offeredByFish(line: string): string[] {
    const args = ['--no-config', '-c', `${fish}\ncomplete -C ${JSON.stringify(line)}`];
    return listed(execFileSync(FISH, args, { cwd, encoding: 'utf8' })).map((offer) => offer.replace(/\t.*/, ''));
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

    it('offers names of files with blanks, and those behind @, in bash', () => {
        assert.deepEqual(offered('batch', 'issue', '--from', 'a'), ['a file.txt']);
        assert.deepEqual(offered('batch', 'issue', '--from', 's'), ['st*r.txt']);
        assert.deepEqual(offered('verify', 'my'), ['my folder']);
        assert.deepEqual(offered('verify', '@pack'), ['@package.json']);
        assert.deepEqual(offered('issue', '--claims', '@a'), ['@a\\ file.txt']);
        assert.deepEqual(offered('verify', '@s'), ['@st\\*r.txt']);
        assert.deepEqual(offered('verify', '@my'), ['@my\\ folder/']);
        assert.deepEqual(offered('verify', '@').length, 4);
    });

    it('offers only the options of the command, values and files in fish', { skip }, () => {
        assert.deepEqual(offeredByFish('cred keys '), ['create', 'list', 'revoke', 'rotate']);
        assert.deepEqual(offeredByFish('cred keys list --'), ['--help', '--json', '--url']);
        assert.ok(offeredByFish('cred verify --').includes('--offline'));
        assert.deepEqual(offeredByFish('cred keys create x --tier e'), ['enterprise']);
        assert.deepEqual(offeredByFish('cred batch issue --from a'), ['a file.txt']);
        assert.deepEqual(offeredByFish('cred verify @a'), ['@a file.txt']);
        assert.deepEqual(offeredByFish('cred verify @my'), ['@my folder/']);
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
