import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, type Environment, loadConfig } from '../../../../platform/process/config.ts';

const GOOD = '0123456789abcdef0123456789abcdef';

function refused(settings: Environment, reason: RegExp): void {
    assert.throws(
        () => loadConfig({ NODE_ENV: 'production', KEY_ENVIRONMENT: 'live', ...settings }),
        (error) => {
            assert.ok(error instanceof ConfigError);
            assert.match(error.message, reason);
            for (const value of Object.values(settings)) {
                assert.ok(
                    value === undefined || value.length < 8 || !error.message.includes(value),
                    'the value is shown',
                );
            }
            return true;
        },
    );
    loadConfig({ NODE_ENV: 'development', ...settings });
}

describe('production', () => {
    it('refuses any secret that is too short or too simple', () => {
        for (const name of ['INTERNAL_SECRET', 'INTERNAL_SECRET_PREVIOUS', 'SERVICE_TOKEN', 'IDEMPOTENCY_PEPPER']) {
            loadConfig({ NODE_ENV: 'production', KEY_ENVIRONMENT: 'live', [name]: GOOD });
            for (const bad of [GOOD.slice(1), 'a'.repeat(64), '0123456'.repeat(8)]) {
                refused({ [name]: bad }, new RegExp(`^${name} is too short or too simple`));
            }
        }
    });

    it('refuses settings that are meant for tests', () => {
        refused({ ARGON2_MEMORY_KIB: '19455' }, /ARGON2_MEMORY_KIB/);
        refused({ ARGON2_PASSES: '1' }, /ARGON2_PASSES/);
        refused({ RATE_WINDOW_SECONDS: '59' }, /RATE_WINDOW_SECONDS/);
        refused({ PUBLIC_URL: 'http://credentials.example' }, /PUBLIC_URL/);
    });

    it('refuses test keys, with which every account may make keys of every tier, unless that is what somebody has set', () => {
        refused({ KEY_ENVIRONMENT: undefined }, /KEY_TIER_POLICY/);
        refused({ KEY_ENVIRONMENT: 'test', KEY_TIER_POLICY: '' }, /KEY_TIER_POLICY/);
        const policyOf = (settings: Environment) => loadConfig({ NODE_ENV: 'production', ...settings }).KEY_TIER_POLICY;
        assert.equal(policyOf({ KEY_TIER_POLICY: 'any' }), 'any');
        assert.equal(policyOf({ KEY_TIER_POLICY: 'cap' }), 'cap');
        assert.equal(policyOf({ KEY_ENVIRONMENT: 'live' }), 'cap');
    });
});
