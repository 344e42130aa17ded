import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asCliError } from '../../../cli/src/errors.ts';
import { ApiError } from '../../../client/src/client.ts';
import { ran } from './worlds.ts';

/** Asserts that the program refuses the arguments with one line, and prints nothing else. */
async function refused(args: string[], reason: RegExp): Promise<string> {
    const { code, stdout, stderr } = await ran(args);
    assert.match(stderr, reason);
    assert.match(stderr, /^cred: [^\n]+\n$/);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    return stderr;
}

const API_KEY = `cred_live_${'aB3'.repeat(10)}xy`;
const PRIVATE_KEY = Buffer.alloc(64, 7).toString('base64');
const SEED = Buffer.alloc(32, 7).toString('base64');
const SESSION = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2ln';

describe('wrong usage', () => {
    it('suggests the command or option that was meant', async () => {
        await refused(['verfy', 'x'], /Do you mean "cred verify"\?/);
        await refused(['kyes', 'list'], /Do you mean "cred keys list"\?/);
        await refused(['keys', 'crate'], /Do you mean "cred keys create"\?/);
        await refused(['verify', 'x', '--isuer', 'y'], /There is no option --isuer\. Do you mean --issuer\?/);
        await refused(['xyzzy'], /See "cred --help"/);
    });

    it('says what is missing, or too much', async () => {
        await refused(['revoke', 'x'], /"cred revoke" also needs --issuer DID/);
        await refused(['revoke', '--issuer', 'x'], /"cred revoke" needs ID/);
        await refused(['status', 'x', 'y'], /"cred status" takes ID, and there is more/);
        await refused(['revoke', 'x', '--issuer'], /--issuer needs a value: --issuer DID/);
        await refused(['revoke', 'x', '--issuer', '--json'], /--issuer needs a value/);
        await refused(['revoke', 'x', '--issuer', 'a', '--issuer', 'b'], /--issuer may be given only once/);
        await refused(['verify', 'x', '--status-list', 'f'], /no option --status-list/);
        await refused(['verify', 'x', '--offline=no'], /--offline takes no value/);
        await refused(['keys', 'create', 'x', '--tier', 'gold'], /--tier must be one of: free, basic/);
        await refused(['completion', 'tcsh'], /SHELL must be one of: bash, zsh, fish/);
        await refused(['--json', 'whoami'], /The command comes first/);
    });

    it('takes everything behind -- as an argument', async () => {
        const { stderr } = await ran(['status', '--', '--password']);
        assert.match(stderr, /You are not logged in/);
    });

    it('refuses options that do not fit together', async () => {
        await refused(['verify', 'x', '--list', 'f'], /need --offline/);
        await refused(['verify', 'x', '--offline', '--revocation'], /--revocation asks the service/);
        await refused(
            ['verify-presentation', 'x', '--audience', 'did:web:v'],
            /--nonce that the holder got, or --no-nonce/,
        );
        await refused(['login', 'ada@example.com', '--key'], /there is no EMAIL/);
    });

    it('refuses a port that does not exist', async () => {
        for (const port of ['65536', '99999', '-1', 'http']) {
            await refused(['webhooks', 'listen', `--port=${port}`], /--port must be/);
        }
    });

    it('reads at most 4 MiB of a file', async () => {
        await refused(['verify', '@/dev/zero', '--offline'], /^cred: \/dev\/zero is longer than 4 MiB\.$/m);
        await refused(['verify', '@.', '--offline'], /\. cannot be used: it is a folder/);
    });

    it('says that the private key and the items cannot both be standard input', async () => {
        await refused(
            ['batch', 'issue', '--from', '-', '--issuer', 'x', '--key-file', '-'],
            /Give one of them as a file/,
        );
    });

    it('says that a command needs a session, and not an API key', () => {
        const refusal = { status: 401, code: undefined, summary: 'x', request_id: undefined, retry_after: undefined };
        const { message } = asCliError(new ApiError({ ...refusal, detail: 'The session token is not valid.' }));
        assert.match(message, /This needs a session, and an API key is not enough: run "cred login EMAIL"/);
        const either = asCliError(new ApiError({ ...refusal, detail: 'The session token or API key is not valid.' }));
        assert.match(either.message, /Log in again with "cred login"/);
    });

    it('says that nobody is logged in', async () => {
        await refused(['whoami'], /You are not logged in\. Run "cred login"/);
    });
});

describe('a secret on the command line', () => {
    for (const option of ['password', 'private-key', 'issuer-key', 'secret', 'token', 'api-key', 'wallet-password']) {
        it(`is refused as --${option}, and not repeated`, async () => {
            const hint = /does not exist, because others can see secrets there\. (Give|Store|Set) /;
            for (const given of [[`--${option}`, 'hunter2'], [`--${option}=hunter2`]]) {
                assert.doesNotMatch(await refused(['issue', ...given], hint), /hunter2/);
            }
        });
    }

    it('is refused wherever it stands, and not repeated', async () => {
        for (const secret of [API_KEY, PRIVATE_KEY, SEED, SESSION]) {
            for (const args of [
                ['login', secret],
                ['login', '--key', secret],
                ['login', `--key=${secret}`],
                ['issue', '--key-file', secret],
            ]) {
                const stderr = await refused(args, /A secret stands on the command line/);
                assert.ok(!stderr.includes(secret));
            }
        }
    });

    it('is not repeated if it is the path of a file that cannot be read', async () => {
        const issue = ['issue', '--issuer', 'x', '--subject', 'x', '--type', 'x', '--claims', '{}'];
        for (const path of ['/etc/passwd/hunter2', `hunter2${'x'.repeat(300)}`, 'hunter2\0']) {
            const stderr = await refused(
                [...issue, '--key-file', path],
                /The file of --key-file cannot be used: [^']+\./,
            );
            assert.doesNotMatch(stderr, /hunter2/);
        }
    });

    it('is not repeated if it is in the address of the service', async () => {
        for (const url of [
            'http://ada:hunter2@127.0.0.1',
            'http://hunter2@127.0.0.1:9',
            'http://ada:hunter2@127.0.0.1:port',
            'http://127.0.0.1?key=hunter2',
            'hunter2',
        ]) {
            for (const command of [['whoami'], ['login', 'ada@example.com'], ['login', '--key']]) {
                const stderr = await refused([...command, '--url', url], /The address of the service must look like/);
                assert.doesNotMatch(stderr, /hunter2/);
            }
        }
    });

    it('is not repeated if it is an unexpected argument or value', async () => {
        for (const args of [
            ['wallet', 'open', 'id', 'hunter2'],
            ['issue', '--json=hunter2'],
            ['login', '--key=hunter2'],
            ['hunter2'],
            ['keys', 'create', 'x', '--tier', 'hunter2'],
        ]) {
            assert.doesNotMatch(await refused(args, /^cred: /), /hunter2/);
        }
    });
});
