import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { databaseUrl, databaseUrls, loadConfig, required } from '../../../../platform/process/config.ts';

test('the addresses of a role are host:port, or several of these, in the setting that has its name', () => {
    for (const addresses of ['keys:50051', '10.0.0.1:1,10.0.0.2:2']) {
        assert.equal(required(loadConfig({ KEYS_ADDRESS: addresses }, ['keys']), 'KEYS_ADDRESS'), addresses);
    }
    assert.throws(() => loadConfig({ KEYS_ADDRESS: 'keys' }, ['keys', 'did']), /KEYS_ADDRESS: must be host:port/);
    assert.throws(() => required(loadConfig({}, ['keys']), 'KEYS_ADDRESS'), /The setting KEYS_ADDRESS is missing/);
});

test('a variable that ends like an address but names no role is none of our settings', () => {
    assert.ok(!('MAIL_ADDRESS' in loadConfig({ MAIL_ADDRESS: 'grace@example.com' }, ['keys'])));
});

test('a role has the database of its own setting, which may be a file, or that of DATABASE_URL', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'role-settings-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'url');
    writeFileSync(file, 'postgresql://did.example/did\n');
    const shared = 'postgresql://shared.example/all';
    const own = 'postgresql://keys.example/keys';
    const roles = ['keys', 'did', 'wallet'];
    const env = { DATABASE_URL: shared, DATABASE_URL_KEYS: own, DATABASE_URL_DID_FILE: file };
    const config = loadConfig(env, roles);
    assert.deepEqual(
        roles.map((role) => databaseUrl(config, role)),
        [own, 'postgresql://did.example/did', shared],
    );
    assert.throws(() => databaseUrl(loadConfig({}, roles), 'keys'), /The setting DATABASE_URL is missing/);
    assert.throws(
        () => loadConfig({ DATABASE_URL_KEYS: 'mysql://hush.example' }, roles),
        (error: Error) => /DATABASE_URL_KEYS: /.test(error.message) && !/hush/.test(error.message),
    );
});

test('the credentials have the databases of CREDENTIAL_PARTS, whose number is a power of two, each once', () => {
    const [one, two, three] = [1, 2, 3].map((n) => `postgresql://hush${n}.example/credentials`);
    const given = (...urls: Array<string | undefined>) =>
        loadConfig({ DATABASE_URL: one, CREDENTIAL_PARTS: urls.join(',') }, ['credentials', 'keys']);
    const config = loadConfig({ DATABASE_URL: three, CREDENTIAL_PARTS: `${one}\n${two}\n` }, ['credentials', 'keys']);
    assert.deepEqual(databaseUrls(config, 'credentials'), [one, two]);
    assert.equal(databaseUrl(config, 'credentials'), one);
    assert.deepEqual(databaseUrls(config, 'keys'), [three]);
    const refused = (message: RegExp) => (error: Error) => message.test(error.message) && !/hush/.test(error.message);
    assert.throws(() => given(one, two, three), refused(/CREDENTIAL_PARTS: must have 1, 2, 4, … or 256 URLs/));
    assert.throws(() => given(one, one), refused(/CREDENTIAL_PARTS: names a database twice/));
    const parts = [`${one}`, `${one}?schema=credentials_1`];
    assert.deepEqual(databaseUrls(given(...parts), 'credentials'), parts);
    for (const schema of ['keys_1', 'credentials', 'credentials_0', 'credentials_1"', ''])
        assert.throws(() => given(one, `${one}?schema=${schema}`), refused(/CREDENTIAL_PARTS\.1: must have as schema/));
    assert.throws(() => given(one, 'mysql://hush.example'), refused(/CREDENTIAL_PARTS\.1: must be a URL/));
    assert.throws(
        () => loadConfig({ CREDENTIAL_PARTS: one, DATABASE_URL_CREDENTIALS: two }, ['credentials']),
        refused(/CREDENTIAL_PARTS and DATABASE_URL_CREDENTIALS are both set/),
    );
});
