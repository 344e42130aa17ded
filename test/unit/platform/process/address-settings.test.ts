import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig, required } from '../../../../platform/process/config.ts';

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
