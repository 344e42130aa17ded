import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { databaseUrl, loadConfig, required } from '../../../../platform/process/config.ts';

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
