import assert from 'node:assert/strict';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { pickPort } from '../../../../deploy/local/ports.ts';
import { cred, folder, json, newIssuer, PASSWORD, serviceBed, started } from './cred.ts';

const bed = await serviceBed();
const issuer = await newIssuer(bed);
const env = { CRED_URL: bed.url, CRED_TOKEN: issuer.token };
const inFolder = (name: string): string => join(folder, name);
const config = inFolder('config/cred/config.json');

describe('logging in', () => {
    it('stores a session that only the user can read, uses it, and forgets it', async () => {
        const secretFile = inFolder('secret');
        writeFileSync(secretFile, `${bed.secret}\n`);
        const email = 'grace@example.com';
        const registered = await cred(['register', email, '--url', bed.url, '--secret-file', secretFile], {
            input: `${PASSWORD}\n`,
        });
        assert.equal(registered.code, 0, registered.stderr);
        const { code, stdout } = await cred(['login', email, '--url', bed.url], { input: `${PASSWORD}\n` });
        assert.equal(code, 0);
        assert.match(stdout, /logged in +grace@example\.com/);
        assert.equal(statSync(config).mode & 0o777, 0o600);
        assert.equal(statSync(join(config, '..')).mode & 0o777, 0o700);
        assert.equal((await json(['whoami'], {}))['email'], email);

        const { token } = JSON.parse(readFileSync(config, 'utf8'));
        await json(['logout'], { env: { CRED_INTERNAL_SECRET: bed.secret } });
        assert.ok(!existsSync(config));
        await assert.rejects(bed.admin.as({ token }).me.get(), { status: 401 });
        assert.equal((await cred(['whoami'])).code, 2);
    });

    it('is refused while a trusted caller has suspended the account', async () => {
        const { user_id } = await bed.admin.internal.auth.register({
            email: 'mallory@example.com',
            password: PASSWORD,
        });
        const trusted = { env: { CRED_URL: bed.url, CRED_INTERNAL_SECRET: bed.secret } };
        const attempt = () =>
            cred(['login', 'mallory@example.com', '--url', bed.url], { env: { CRED_PASSWORD: PASSWORD } });
        const { suspended, reason } = await json(['users', 'suspend', user_id, '--reason', 'Abuse'], trusted);
        assert.deepEqual({ suspended, reason }, { suspended: true, reason: 'Abuse' });
        const refused = await attempt();
        assert.equal(refused.code, 3);
        assert.match(refused.stderr, /This account is suspended\./);
        assert.equal((await json(['users', 'restore', user_id], trusted))['suspended'], false);
        assert.equal((await attempt()).code, 0);
        assert.equal((await cred(['users', 'suspend', user_id, '--url', bed.url])).code, 2); // without the secret
    });

    it('is asked for again when the session has expired', async () => {
        await cred(['login', issuer.email, '--url', bed.url], { env: { CRED_PASSWORD: PASSWORD } });
        const stored = JSON.parse(readFileSync(config, 'utf8'));
        assert.ok(Date.parse(stored.expires_at) > Date.now());
        writeFileSync(config, JSON.stringify({ ...stored, expires_at: new Date().toISOString() }));
        const { code, stderr } = await cred(['whoami']);
        assert.equal(code, 2);
        assert.match(stderr, /Your session has expired\. Run "cred login" again/);
    });

    it('stores an API key, but none that is refused', async () => {
        const login = ['login', '--key', '--url', bed.url];
        const { code, stderr } = await cred(login, { input: `${issuer.api_key}\n` });
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
        const { api_key, requests_per_minute } = await json(['whoami'], {});
        assert.deepEqual({ api_key, requests_per_minute }, { api_key: true, requests_per_minute: 10_000 });
        await json(['did', 'new'], {});
        const wrong = await cred(login, { input: `${issuer.api_key.slice(0, -1)}_\n` });
        assert.equal(wrong.code, 3);
        assert.equal(JSON.parse(readFileSync(config, 'utf8')).token, issuer.api_key);
    });

    it('never sends the stored token to another address', async () => {
        const { code, stderr } = await cred(['whoami', '--url', 'http://127.0.0.1:9']);
        assert.equal(code, 2);
        assert.match(stderr, /You are logged in at http:.*\. Run "cred login --url http:\/\/127\.0\.0\.1:9"/);
    });
});

describe('deleting an account', () => {
    const registered = async (email: string) => {
        await bed.admin.internal.auth.register({ email, password: PASSWORD });
        return bed.admin.internal.auth.login({ email, password: PASSWORD });
    };
    const erase = (more: Record<string, string> = {}) =>
        json(['account', 'delete', '--yes', '--url', bed.url], { env: { CRED_PASSWORD: PASSWORD, ...more } });

    it('forgets the stored login only if that was used', async () => {
        const [one, other] = [await registered('heidi@example.com'), await registered('ivan@example.com')];
        await cred(['login', 'heidi@example.com', '--url', bed.url], { env: { CRED_PASSWORD: PASSWORD } });
        assert.equal((await erase({ CRED_TOKEN: other.token }))['user_id'], other.user_id);
        assert.equal((await json(['whoami'], {}))['email'], 'heidi@example.com');
        assert.equal((await erase())['user_id'], one.user_id);
        assert.ok(!existsSync(config));
    });
});

it('the subject of credentials is erased by a trusted caller', async () => {
    const trusted = { env: { CRED_URL: bed.url, CRED_INTERNAL_SECRET: bed.secret } };
    const { did } = await json(['did', 'new'], { env });
    assert.deepEqual(await json(['subjects', 'erase', did], trusted), { subject_did: did, done: true });
    assert.equal((await cred(['subjects', 'erase', did, '--url', bed.url])).code, 2); // without the secret
});

describe('API keys', () => {
    it('are created, listed and ended', async () => {
        const key = await json(['keys', 'create', 'build', '--tier', 'free', '--scope', 'credentials:verify'], { env });
        assert.deepEqual(key['scopes'], ['credentials:verify']);
        const next = await json(['keys', 'rotate', key['key_id'], '--overlap', '0'], { env });
        await json(['keys', 'revoke', next['key_id']], { env });
        const { stdout } = await cred(['keys', 'list'], { env });
        assert.match(stdout, /^KEY_ID +NAME +KEY +LIMIT +ACTIVE/);
        assert.match(stdout, new RegExp(`${next['key_id']} +build .* no `));
    });

    it('are no session, and a command that needs one says so', async () => {
        const { code, stderr } = await cred(['keys', 'list'], { env: { ...env, CRED_TOKEN: issuer.api_key } });
        assert.equal(code, 3);
        assert.match(stderr, /This needs a session, and an API key is not enough: run "cred login EMAIL"/);
    });
});

describe('a failure', () => {
    it('is one sentence on standard error, and its exit code says whose it is', async () => {
        const away = await cred(['whoami'], { env: { ...env, CRED_URL: `http://127.0.0.1:${await pickPort()}` } });
        const absent = await cred(['whoami'], { env: { ...env, CRED_URL: 'http://127.0.0.1:9' } }); // no fetch calls it
        const refused = await cred(['whoami'], { env: { ...env, CRED_TOKEN: 'nonsense' } });
        const usage = await cred(['status'], { env });
        assert.deepEqual([away.code, absent.code, refused.code, usage.code], [3, 3, 3, 2]);
        for (const { stdout, stderr } of [away, absent, refused, usage]) {
            assert.equal(stdout, '');
            assert.match(stderr, /^cred: [^\n]+\n$/);
        }
        assert.match(refused.stderr, /Log in again with "cred login"/);
    });

    it('to read the whole output ends the program without a word, as SIGPIPE does', async () => {
        const child = started(['completion', 'bash']);
        child.stdout?.destroy();
        let stderr = '';
        child.stderr?.on('data', (chunk) => {
            stderr += String(chunk);
        });
        const code = await new Promise((resolve) => child.once('exit', resolve));
        assert.deepEqual({ code, stderr }, { code: 141, stderr: '' });
    });

    it('to write the output is one line', async () => {
        const full = openSync('/dev/full', 'w');
        const child = started(['completion', 'bash'], { stdout: full });
        closeSync(full);
        assert.ok(child.stderr);
        const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
        const line = 'cred: Standard output cannot be used: the disk is full.\n';
        assert.deepEqual({ code, stderr }, { code: 3, stderr: line });
    });
});
