import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { ConfigError, type Environment, loadConfig } from '../../../../../platform/process/config.ts';
import { createMetrics } from '../../../../../platform/telemetry/metrics.ts';
import { type KeyEncryption, keyEncryption } from '../../../../../services/signing/key-encryption/key-encryption.ts';
import { ACCOUNT, DATA_KEY, OTHER, startVault, unavailable, unreadable } from './providers.fixture.ts';

const vault = await startVault();
const metrics = createMetrics();

function encryption(settings: Environment = {}, ownMetrics = createMetrics()): KeyEncryption {
    const own = { KEK_PROVIDER: 'vault:transit/kek', VAULT_ADDR: vault.url, VAULT_TOKEN: 's.first', ...settings };
    return keyEncryption({ config: loadConfig(own), metrics: ownMetrics });
}

describe('a key-encryption key in Vault', () => {
    beforeEach(() => {
        vault.mood = 'well';
        vault.requests.length = 0;
    });

    it('unwraps what it has wrapped, for the same account only', async () => {
        const keys = encryption();
        const stored = await keys.wrap(DATA_KEY, ACCOUNT);
        assert.equal(stored.kek, 'vault:transit/kek');
        assert.match(stored.wrapped.toString(), /^vault:v1:/);
        assert.deepEqual(await keys.unwrap(stored, ACCOUNT), DATA_KEY);
        for (const other of [OTHER, null]) {
            await assert.rejects(keys.unwrap(stored, other), unreadable(/belongs to another account/));
        }
    });

    it('refuses a data key that was changed', async () => {
        const keys = encryption();
        const { kek, wrapped } = await keys.wrap(DATA_KEY, ACCOUNT);
        const changed = Buffer.from(wrapped);
        changed[30] = changed[30] === 65 ? 66 : 65;
        await assert.rejects(keys.unwrap({ kek, wrapped: changed }, ACCOUNT), unreadable(/was changed/));
    });

    it('wraps while the keys in KEK still unwrap', async () => {
        const KEK = randomBytes(32).toString('base64');
        const before = keyEncryption({ config: loadConfig({ KEK }), metrics: createMetrics() });
        const stored = await before.wrap(DATA_KEY, ACCOUNT);
        const keys = encryption({ KEK });
        assert.deepEqual(await keys.unwrap(stored, ACCOUNT), DATA_KEY);
        assert.equal(vault.requests.length, 0);
        assert.equal((await keys.wrap(DATA_KEY, ACCOUNT)).kek, 'vault:transit/kek');
    });

    it('reads the file of the token again for each call', async () => {
        const folder = mkdtempSync(join(tmpdir(), 'vault-'));
        after(() => rmSync(folder, { recursive: true }));
        const file = join(folder, 'token');
        writeFileSync(file, 's.first\n');
        const keys = encryption({ VAULT_TOKEN: undefined, VAULT_TOKEN_FILE: file });
        const stored = await keys.wrap(DATA_KEY, ACCOUNT);
        vault.token = 's.second';
        after(() => Object.assign(vault, { token: 's.first' }));
        await assert.rejects(keys.unwrap(stored, ACCOUNT), unavailable('kek vault', /^Vault answered 403$/));
        writeFileSync(file, 's.second\n');
        assert.deepEqual(await keys.unwrap(stored, ACCOUNT), DATA_KEY);
        vault.token = 's.first';
    });

    it('is unavailable if Vault fails, redirects or answers something else, even if KEK is set', async () => {
        const keys = encryption({ KEK: randomBytes(32).toString('base64') }, metrics);
        const stored = await keys.wrap(DATA_KEY, ACCOUNT);
        for (const [mood, cause] of [
            [403, /^Vault answered 403$/],
            [404, /^Vault answered 404$/],
            [500, /^Vault answered 500$/],
            [503, /^Vault answered 503$/],
            ['elsewhere', /^Vault answered 307$/],
            ['huge', /^the answer of Vault is too large$/],
            ['nonsense', /^Vault answered in another form$/],
            ['cut off', /^failed: UND_ERR_SOCKET$/],
        ] as const) {
            vault.mood = mood;
            await assert.rejects(keys.unwrap(stored, ACCOUNT), unavailable('kek vault', cause));
            await assert.rejects(keys.wrap(DATA_KEY, ACCOUNT), unavailable('kek vault', cause));
        }
        assert.ok(vault.requests.every(({ path }) => path.startsWith('/v1/transit/')));
        const { text } = await metrics.expose();
        assert.match(text, /key_encryption_duration_seconds_count\{operation="unwrap",outcome="unavailable"\} 8/);
        assert.match(text, /key_encryption_duration_seconds_count\{operation="wrap",outcome="ok"\} 1/);
    });

    it('is unavailable after three seconds without an answer', async () => {
        vault.mood = 'silent';
        const began = performance.now();
        await assert.rejects(
            encryption().wrap(DATA_KEY, ACCOUNT),
            unavailable('kek vault', /^no answer within 3000 ms$/),
        );
        assert.ok(performance.now() - began >= 2_990);
    });

    it('is unavailable if nothing listens, or if the token is no token', async () => {
        const gone = encryption({ VAULT_ADDR: 'http://127.0.0.1:1' });
        await assert.rejects(
            gone.wrap(DATA_KEY, ACCOUNT),
            unavailable('kek vault', /^failed: (ECONNREFUSED|TypeError)$/),
        );
        const odd = encryption({ VAULT_TOKEN: 'secret\nsecret' });
        await assert.rejects(odd.wrap(DATA_KEY, ACCOUNT), unavailable('kek vault', /^failed: /));
    });
});

describe('the settings of Vault', () => {
    it('are required', () => {
        assert.throws(() => encryption({ VAULT_ADDR: '' }), new ConfigError('The setting VAULT_ADDR is missing.'));
        assert.throws(() => encryption({ VAULT_TOKEN: '' }), new ConfigError('The setting VAULT_TOKEN is missing.'));
    });

    it('name a key', () => {
        for (const KEK_PROVIDER of [
            'vault:kek',
            'vault:transit/../sys',
            'vault:/kek',
            'gcp:kek',
            'aws-kms:alias/kek',
        ]) {
            assert.throws(() => loadConfig({ KEK_PROVIDER }), /KEK_PROVIDER: must be vault:<mount>\/<key>/);
        }
    });

    it('name a URL without credentials', () => {
        assert.throws(
            () => loadConfig({ VAULT_ADDR: 'https://me:pass@vault.example' }),
            /VAULT_ADDR: must have no cred/,
        );
    });

    it('name an https URL in production, except on the same machine', () => {
        const production = { NODE_ENV: 'production', KEY_ENVIRONMENT: 'live' };
        loadConfig({ ...production, VAULT_ADDR: 'https://vault.example' });
        loadConfig({ ...production, VAULT_ADDR: 'http://127.0.0.1:8100' });
        assert.throws(
            () => loadConfig({ ...production, VAULT_ADDR: 'http://vault.example' }),
            new ConfigError('VAULT_ADDR must be an https URL in production.'),
        );
    });
});
