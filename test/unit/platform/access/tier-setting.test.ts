import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, loadConfig } from '../../../../platform/process/config.ts';

test('a quota setting changes the tiers that it names; the others keep their default', () => {
    const { QUOTA_WALLETS: defaults } = loadConfig({});
    assert.deepEqual(loadConfig({ QUOTA_WALLETS: '' }).QUOTA_WALLETS, defaults);
    assert.deepEqual(loadConfig({ QUOTA_WALLETS: 'free=5, pro=70' }).QUOTA_WALLETS, { ...defaults, free: 5, pro: 70 });
    assert.deepEqual(loadConfig({ QUOTA_WALLETS: 'free=1,basic=2,pro=3,enterprise=1000000000000000' }).QUOTA_WALLETS, {
        free: 1,
        basic: 2,
        pro: 3,
        enterprise: 1e15,
    });
});

test('a quota setting with an invalid number or an unknown tier prevents the start', () => {
    for (const text of ['5', 'free', 'free=', 'free=0', 'free=-1', 'free=1.5', 'free=1e3', 'gold=5', 'free=1,free=2']) {
        assert.throws(() => loadConfig({ QUOTA_DIDS: text }), ConfigError, text);
    }
    assert.throws(() => loadConfig({ QUOTA_DIDS: 'free=1000000000000001' }), /QUOTA_DIDS: must be tier=number/);
});
