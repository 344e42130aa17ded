import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { expectOk, send } from '../support/client.ts';
import { database } from '../support/database.ts';
import { counted } from '../support/usage.ts';
import { issue, newAccount, newDid, newKey, present } from '../support/world.ts';

const db = await database('usage');
const stats = (token: string, gateway = 0) => expectOk(200, { path: '/v1/me/stats', token, gateway });
const platform = () => expectOk(200, { path: '/internal/v1/admin/stats', internal: true });

/** Asserts that these requests are counted, and at most the one that asks beside them. */
function assertRequests({ requests_today, requests_this_month }: Record<string, number>, requests: number): void {
    assert.equal(requests_today, requests_this_month);
    assert.ok([requests, requests + 1].includes(requests_today ?? 0), `${requests_today} requests`);
}

describe('GET /v1/me/stats', () => {
    it('is all zero, except for its own calls, in a new account', async () => {
        const account = await newAccount();
        await stats(account.token);
        await counted(db, account, 'requests', 1);
        const { api_usage, ...others } = await stats(account.token);
        assertRequests(api_usage, 1);
        assert.equal(api_usage.rate_limit_hits, 0);
        assert.deepEqual(others, {
            period: new Date().toISOString().slice(0, 7),
            dids: { total: 0, created_this_month: 0 },
            credentials: { total_issued: 0, issued_this_month: 0, total_revoked: 0, total_active: 0 },
            presentations: { total_created: 0, created_this_month: 0, total_verified: 0 },
            wallets: { total: 0, credentials_stored: 0 },
        });
    });

    it('agrees with what a client counts on both gateways', async () => {
        const account = await newAccount();
        const { api_key } = await newKey(account); // session call 1
        const [issuer, holder] = [await newDid(api_key), await newDid(api_key)]; // key calls 1 and 2
        const issued = await Promise.all(Array.from({ length: 5 }, () => issue(api_key, issuer))); // 3 to 7
        const [first] = issued;
        assert.ok(first);
        const revoke = { method: 'POST', path: `/v1/credentials/revoke/${first.credential_id}`, token: api_key };
        await expectOk(200, { ...revoke, body: { issuer_did: issuer.did } }); // 8
        await expectOk(200, { ...revoke, body: { issuer_did: issuer.did } }); // 9, and revokes nothing
        const { presentation, audience } = await present(api_key, holder, [first.credential]); // 10
        const check = { method: 'POST', path: '/v1/presentations/verify', token: api_key };
        await Promise.all(
            [0, 1, 1].map((gateway) => expectOk(200, { ...check, gateway, body: { presentation, audience } })), // 11 to 13
        );
        await send({ ...check, body: { presentation: 'no token', audience } }); // 14: refused, so nothing was verified

        assert.deepEqual((await stats(account.token, 1)).dids, { total: 2, created_this_month: 2 }); // session call 2
        await counted(db, account, 'requests', 16);
        await counted(db, account, 'presentations_verified', 3);
        const seen = await stats(account.token, 1);
        assert.deepEqual(seen.dids, { total: 2, created_this_month: 2 });
        assert.deepEqual(seen.credentials, {
            total_issued: 5,
            issued_this_month: 5,
            total_revoked: 1,
            total_active: 4,
        });
        assert.deepEqual(seen.presentations, { total_created: 1, created_this_month: 1, total_verified: 3 });
        assertRequests(seen.api_usage, 16);
        assert.equal(seen.api_usage.rate_limit_hits, 0);
    });

    it('counts calls above the rate limit as rate_limit_hits, and not as requests', async () => {
        const account = await newAccount();
        const { api_key } = await newKey(account, 'free');
        await Promise.all(
            Array.from({ length: RATE_LIMITS.free + 4 }, () => send({ path: '/v1/did/x', token: api_key })),
        );
        await counted(db, account, 'requests', RATE_LIMITS.free + 1);
        await counted(db, account, 'rate_limit_hits', 4);
        const { api_usage } = await stats(account.token);
        assertRequests(api_usage, RATE_LIMITS.free + 1);
        assert.equal(api_usage.rate_limit_hits, 4);
    });

    it('counts wallets and their credentials, but not the DIDs of wallets', async () => {
        const account = await newAccount();
        const { api_key: token } = await newKey(account);
        const { credential, credential_id } = await issue(token, await newDid(token));
        const wallet = await expectOk(201, {
            method: 'POST',
            path: '/v1/wallets',
            token,
            body: { name: 'w', password: 'p' },
        });
        const path = `/v1/wallets/${wallet.wallet_id}/credentials`;
        await expectOk(201, { method: 'POST', path, token, body: { password: 'p', credential } });
        await expectOk(201, { method: 'POST', path, token, body: { password: 'p', credential } });
        assert.deepEqual((await stats(account.token)).wallets, { total: 1, credentials_stored: 1 });
        assert.equal((await stats(account.token)).dids.total, 1);
        const entry = `${path}/${encodeURIComponent(credential_id)}`;
        await expectOk(200, { method: 'DELETE', path: entry, token, body: { password: 'p' } });
        assert.deepEqual((await stats(account.token)).wallets, { total: 1, credentials_stored: 0 });
    });
});

describe('GET /internal/v1/admin/stats', () => {
    it('counts the whole platform: its counts grow with every account and are consistent', async () => {
        const before = await platform();
        const account = await newAccount();
        const { api_key } = await newKey(account);
        await issue(api_key, await newDid(api_key));
        await counted(db, account, 'requests', 3);
        const after = await platform();
        const grew = (part: string, field: string, by: number) =>
            assert.ok(
                after[part][field] >= before[part][field] + by,
                `${part}.${field}: ${before[part][field]} → ${after[part][field]}`,
            );
        grew('users', 'total', 1);
        grew('users', 'active_today', 1);
        grew('users', 'active_this_week', 1);
        grew('dids', 'total_created', 1);
        grew('credentials', 'total_issued', 1);
        grew('api_usage', 'requests_today', 3);
        grew('api_usage', 'requests_this_week', 3);
        assert.ok(after.users.by_tier.free >= before.users.by_tier.free + 1);
        const { free, basic, pro, enterprise } = after.users.by_tier;
        assert.equal(after.users.total, free + basic + pro + enterprise);
        assert.equal(after.credentials.active, after.credentials.total_issued - after.credentials.total_revoked);
    });
});
