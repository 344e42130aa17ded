import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { readLogin } from '../../../cli/src/config.ts';
import { readPrivateKey, readSecret } from '../../../cli/src/secret.ts';

/** What is read from a terminal on which somebody types this, and what the terminal shows. */
async function typed(keys: string, { confirm = false } = {}) {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) });
    const modes: boolean[] = [];
    let shown = '';
    const stderr = new Writable({
        write(chunk, _encoding, done) {
            shown += String(chunk);
            done();
            // Somebody types when asked, and not before.
            if (String(chunk).endsWith(': ')) setImmediate(() => stdin.write(keys));
        },
    });
    return new Promise<{ read: string | Error; shown: string; modes: boolean[] }>((resolve) => {
        const done = (read: string | Error) => resolve({ read, shown, modes });
        const interrupt = () => done(new Error('interrupted'));
        const world = { env: {}, stdin, stderr, stdout: stderr, interrupt };
        readSecret(world, { what: 'password', variable: 'CRED_PASSWORD', confirm }).then(done, done);
    });
}

describe('a password at the prompt', () => {
    it('is read without being shown, and then the terminal shows what is typed again', async () => {
        for (const keys of ['a long pass phrase\r', 'a long pass phrase\n']) {
            assert.deepEqual(await typed(keys), {
                read: 'a long pass phrase',
                shown: 'password: \n',
                modes: [true, false],
            });
        }
    });

    it('can be edited as on other command lines', async () => {
        for (const [keys, read] of [
            ['wrong\u0015right\r', 'right'],
            ['a long wrong\u0017phrase\r', 'a long phrase'],
            ['ab😀\u007f\u007fc\r', 'ac'],
            ['ac\u0002b\r', 'abc'],
        ] as const) {
            assert.equal((await typed(keys)).read, read);
        }
    });

    it('is asked for twice if nobody could look it up later', async () => {
        assert.equal((await typed('secret\r', { confirm: true })).read, 'secret');
    });

    it('is not given after Ctrl-D, and Ctrl-C ends the process by its signal', async () => {
        assert.match(String((await typed('\u0004')).read), /CliError: No password was given/);
        const { read, modes } = await typed('sec\u0003');
        assert.deepEqual([String(read), modes], ['Error: interrupted', [true, false]]);
    });
});

/** What a program sees that is run in a pipe, by somebody who has this environment. */
const piped = (input: string, env: Record<string, string> = {}) => {
    const nowhere = new Writable();
    return {
        env,
        stdin: Readable.from([Buffer.from(input)]),
        stdout: nowhere,
        stderr: nowhere,
        interrupt: assert.fail,
    };
};

describe('a secret on standard input', () => {
    it('has no byte order mark, which some shells write', async () => {
        const wanted = { what: 'password', variable: 'CRED_PASSWORD' };
        assert.equal(await readSecret(piped('\ufeffa long pass phrase\r\n'), wanted), 'a long pass phrase');
        const key = await readPrivateKey(piped('\ufeffkey\n'), { path: '-', variable: 'CRED_ISSUER_KEY' });
        assert.equal(key, 'key');
    });
});

describe('a stored login', () => {
    it('is never read from a relative XDG_CONFIG_HOME, which could be in a repository', (t) => {
        const home = mkdtempSync(join(tmpdir(), 'home-'));
        t.after(() => rmSync(home, { recursive: true }));
        for (const folder of ['.config', 'other']) {
            mkdirSync(join(home, folder, 'cred'), { recursive: true });
            const login = { url: `http://${folder}.example`, token: 'x' };
            writeFileSync(join(home, folder, 'cred', 'config.json'), JSON.stringify(login));
        }
        const urlWith = (given: string) => readLogin(piped('', { HOME: home, XDG_CONFIG_HOME: given }))?.url;
        assert.equal(urlWith(join(home, 'other')), 'http://other.example');
        for (const given of [relative('.', join(home, 'other')), '', '.']) {
            assert.equal(urlWith(given), 'http://.config.example', given);
        }
    });
});
