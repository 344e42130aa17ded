import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { ConfigError, type Environment, loadConfig } from '../../../../../platform/process/config.ts';
import { createMetrics } from '../../../../../platform/telemetry/metrics.ts';
import { type KeyEncryption, keyEncryption } from '../../../../../services/signing/key-encryption/key-encryption.ts';
import { ACCOUNT, OTHER, unavailable, unreadable } from './providers.fixture.ts';

const newKek = (): string => randomBytes(32).toString('base64');

function encryption(settings: Environment): KeyEncryption {
    return keyEncryption({ config: loadConfig(settings), metrics: createMetrics() });
}

describe('a key-encryption key from the settings', () => {
    it('unwraps what it has wrapped, for an account and for the service itself', async () => {
        const keys = encryption({ KEK: newKek() });
        for (const account of [ACCOUNT, null]) {
            const dataKey = randomBytes(32);
            const stored = await keys.wrap(dataKey, account);
            assert.equal(stored.kek, keys.current);
            assert.deepEqual(await keys.unwrap(stored, account), dataKey);
        }
    });

    it('refuses a data key of another account', async () => {
        const keys = encryption({ KEK: newKek() });
        const stored = await keys.wrap(randomBytes(32), ACCOUNT);
        for (const other of [OTHER, null]) {
            await assert.rejects(keys.unwrap(stored, other), unreadable(/belongs to another account/));
        }
    });

    it('refuses a data key of which one bit was changed, or a byte is missing', async () => {
        const keys = encryption({ KEK: newKek() });
        const { kek, wrapped } = await keys.wrap(randomBytes(32), ACCOUNT);
        for (let index = 0; index < wrapped.length; index++) {
            const changed = Buffer.from(wrapped);
            changed[index] = (changed[index] ?? 0) ^ 1;
            await assert.rejects(keys.unwrap({ kek, wrapped: changed }, ACCOUNT), unreadable(/was changed/));
        }
        for (const length of [0, wrapped.length - 1]) {
            const cut = wrapped.subarray(0, length);
            await assert.rejects(keys.unwrap({ kek, wrapped: cut }, ACCOUNT), unreadable(/was changed/));
        }
    });

    it('wraps with the first of several keys and unwraps with all', async () => {
        const [first, second] = [newKek(), newKek()];
        const dataKey = randomBytes(32);
        const byFirst = await encryption({ KEK: first }).wrap(dataKey, ACCOUNT);
        for (const separator of [',', '\n', ', ', '\r\n']) {
            const both = encryption({ KEK: `${second}${separator}${first}` });
            assert.notEqual(both.current, byFirst.kek);
            assert.deepEqual(await both.unwrap(byFirst, ACCOUNT), dataKey);
            const again = await both.wrap(dataKey, ACCOUNT);
            assert.deepEqual(await encryption({ KEK: second }).unwrap(again, ACCOUNT), dataKey);
            await assert.rejects(
                encryption({ KEK: first }).unwrap(again, ACCOUNT),
                unavailable('kek', /is not configured$/),
            );
        }
    });

    it('has a name that is always the same, and does not contain the key', () => {
        const key = randomBytes(32);
        const { current } = encryption({ KEK: key.toString('base64') });
        assert.match(current, /^kek-[0-9a-f]{16}$/);
        assert.equal(encryption({ KEK: key.toString('base64url') }).current, current);
        assert.ok(!key.toString('hex').includes(current.slice('kek-'.length)));
    });
});

describe('the setting KEK', () => {
    it('is required', () => {
        assert.throws(() => encryption({}), new ConfigError('The setting KEK is missing.'));
    });

    it('accepts nothing but keys of 32 bytes in base64, and never shows them', () => {
        for (const bad of [randomBytes(31).toString('base64'), `${newKek()},`, `${newKek()} x`, 'k'.repeat(32)]) {
            assert.throws(
                () => loadConfig({ KEK: bad }),
                (error) =>
                    error instanceof ConfigError &&
                    /KEK\.\d: must be 32 bytes in base64/.test(error.message) &&
                    !error.message.includes(bad.slice(0, 8)),
            );
        }
    });

    it('is refused in production if it is too simple', () => {
        const simple = [Buffer.alloc(32, 7), Buffer.from([1, 2, 3, 4, 5, 6, 7].concat(Array(25).fill(7)))];
        for (const key of simple) {
            const settings = { KEK: `${newKek()},${key.toString('base64')}` };
            loadConfig(settings);
            assert.throws(() => loadConfig({ ...settings, NODE_ENV: 'production' }), /KEK is too simple/);
        }
        loadConfig({ KEK: newKek(), NODE_ENV: 'production', KEY_ENVIRONMENT: 'live' });
    });
});
