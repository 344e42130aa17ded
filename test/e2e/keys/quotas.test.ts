import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, expectOk } from '../support/client.ts';
import { aFilledWallet, aManagedIssuer, issue, newAccount, newDid, newKey, present } from '../support/world.ts';

const quotas = (token: string, gateway = 0) => expectOk(200, { path: '/v1/me/quotas', token, gateway });

describe('GET /v1/me/quotas', () => {
    it('shows what the account uses and what it may use, at once on every gateway', async () => {
        const account = await newAccount();
        const { token } = account;
        const none = await quotas(token);
        assert.equal(none.tier, 'free');
        assert.deepEqual(Object.keys(none.quotas), [
            'credentials',
            'presentations',
            'dids',
            'issuers',
            'wallets',
            'wallet_credentials',
            'wallet_bytes',
            'active_api_keys',
            'api_keys',
            'sessions',
            'webhooks',
            'offers',
        ]);
        const issuer = await newDid(token);
        await newDid(token);
        const { credential } = await issue(token, issuer);
        await issue(token, issuer);
        await present(token, issuer, [credential]);
        await aManagedIssuer({ token });
        const { key_id } = await newKey(account);
        await newKey(account);
        await expectOk(200, { method: 'DELETE', path: `/v1/keys/${key_id}`, token });
        for (const gateway of [0, 1]) {
            const { quotas: now } = await quotas(token, gateway);
            assert.equal(now.credentials.used, 2);
            assert.equal(now.presentations.used, 1);
            assert.equal(now.dids.used, 2);
            assert.equal(now.issuers.used, 1);
            assert.equal(now.active_api_keys.used, 1);
            assert.equal(now.api_keys.used, 2);
            assert.equal(now.sessions.used, 1);
            for (const { used, quota } of Object.values<{ used: number; quota: number }>(now)) {
                assert.ok(used < quota);
            }
        }
    });

    it('is only for sessions', async () => {
        const { token } = await aFilledWallet();
        await expectError(401, { path: '/v1/me/quotas', token });
        await expectError(401, { path: '/v1/me/quotas' });
    });
});
