import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, expectOk, send, service } from '../support/client.ts';
import { newAccount, newKey } from '../support/world.ts';
import { aConfiguration, codeOf, credentialRequest, described, readLink, redeemed } from './exchange-examples.ts';
import { redemption, refusedWith, tokenCall } from './wallet.ts';

/** A new account with an API key that makes offers. */
async function offeringKey() {
    const account = await newAccount();
    const [{ api_key: token, key_id }, me] = [await newKey(account), service.as(account)];
    const { issuer_id } = await service.as({ token }).issuers.create({ name: 'club', method: 'web' });
    const configuration = { issuer_id, configuration_id: 'membership' };
    await me.configurations.create({ ...described(), ...configuration });
    const make = () => service.as({ token }).offers.create({ ...configuration, claims: {} });
    return { me, key_id, issuer_id, make };
}

describe('a wallet', () => {
    it('knows no offer whose API key is revoked, or that is deleted', async () => {
        const { me, key_id, issuer_id, make } = await offeringKey();
        const [deleted, unspent, opened] = [await make(), await make(), await make()];
        const codes = [await codeOf(deleted), await codeOf(unspent)];
        const { access_token } = await redeemed(opened);
        await me.offers.delete({ offer_id: deleted.offer_id });
        await me.keys.revoke({ key_id });
        for (const code of codes) {
            assert.deepEqual(refusedWith(await tokenCall(issuer_id, redemption(code))), [400, 'invalid_grant']);
        }
        assert.deepEqual(refusedWith(await readLink(unspent)), [404, 'invalid_request']);
        const body = { notification_id: opened.offer_id, event: 'credential_accepted' };
        const path = `/issuers/${issuer_id}/notification`;
        const late = await send({ method: 'POST', path, token: access_token, body });
        assert.deepEqual(refusedWith(late), [401, 'invalid_token']);
    });

    it('knows no offer whose API key may not issue credentials any more', async () => {
        const { me, key_id, issuer_id, make } = await offeringKey();
        const [unspent, opened] = [await make(), await make()];
        const code = await codeOf(unspent);
        const { access_token } = await redeemed(opened);
        const { issuer_id: _, ...body } = await credentialRequest(issuer_id);
        await me.keys.update({ key_id, scopes: ['credentials:read'] });
        assert.deepEqual(refusedWith(await tokenCall(issuer_id, redemption(code))), [400, 'invalid_grant']);
        assert.deepEqual(refusedWith(await readLink(unspent)), [404, 'invalid_request']);
        const path = `/issuers/${issuer_id}/credential`;
        const late = await send({ method: 'POST', path, token: access_token, body });
        assert.deepEqual(refusedWith(late), [401, 'invalid_token']);
        await me.keys.update({ key_id, scopes: ['credentials:*'] });
        assert.equal((await tokenCall(issuer_id, redemption(code))).status, 200);
    });

    it('knows no offer whose configuration was deleted, also if there is another one with its id', async () => {
        const { token, issuer_id, configuration_id } = await aConfiguration();
        const { configurations, offers } = service.as({ token });
        const make = () => offers.create({ issuer_id, configuration_id, claims: {} });
        const [unspent, opened] = [await make(), await make()];
        const code = await codeOf(unspent);
        const { access_token } = await redeemed(opened);
        await configurations.delete({ issuer_id, configuration_id });
        await configurations.create({ issuer_id, ...described(), vct: 'https://club.example/other' });
        assert.deepEqual(refusedWith(await tokenCall(issuer_id, redemption(code))), [400, 'invalid_grant']);
        const body = { notification_id: opened.offer_id, event: 'credential_accepted' };
        const path = `/issuers/${issuer_id}/notification`;
        const late = await send({ method: 'POST', path, token: access_token, body });
        assert.deepEqual(refusedWith(late), [401, 'invalid_token']);
        assert.equal((await offers.get({ offer_id: unspent.offer_id })).state, 'expired');
    });

    it('spends no code of an archived issuer, whose metadata stays', async () => {
        const { token, issuer_id, configuration_id } = await aConfiguration();
        const { issuers, offers } = service.as({ token });
        const offered = await offers.create({ issuer_id, configuration_id, claims: {} });
        const code = await codeOf(offered);
        const metadata = await service.exchange.issuerMetadata({ issuer_id });
        await issuers.archive({ issuer_id });
        for (const gateway of [0, 1]) {
            const answer = await tokenCall(issuer_id, redemption(code), { gateway });
            assert.deepEqual(refusedWith(answer), [400, 'invalid_grant']);
        }
        assert.deepEqual(refusedWith(await readLink(offered)), [404, 'invalid_request']);
        assert.equal((await offers.get({ offer_id: offered.offer_id })).state, 'open');
        assert.deepEqual(await service.exchange.issuerMetadata({ issuer_id }), metadata);
    });

    it('spends no code while the issuer has no active key, and no offer can be made then', async () => {
        const { token, issuer_id, configuration_id } = await aConfiguration();
        const { issuers, offers } = service.as({ token });
        const offered = await offers.create({ issuer_id, configuration_id, claims: {} });
        const code = await codeOf(offered);
        const { keys } = await issuers.get({ issuer_id });
        for (const { kid } of keys) await issuers.markCompromised({ issuer_id, kid });
        const body = { issuer_id, configuration_id, claims: {} };
        await expectError(409, { method: 'POST', path: '/v1/offers', token, body });
        assert.deepEqual(refusedWith(await tokenCall(issuer_id, redemption(code))), [400, 'invalid_grant']);
        assert.deepEqual(refusedWith(await readLink(offered)), [404, 'invalid_request']);
        await issuers.rotate({ issuer_id });
        assert.equal((await tokenCall(issuer_id, redemption(code))).status, 200);
    });

    it('knows no offer of a suspended account, whether a key or a session has made it', async () => {
        const account = await newAccount();
        const { api_key } = await newKey(account);
        const { issuer_id } = await service.as(account).issuers.create({ name: 'club', method: 'web' });
        const configuration = { issuer_id, configuration_id: 'membership' };
        await service.as(account).configurations.create({ ...described(), ...configuration });
        const makers = [account, { token: api_key }];
        const made = await Promise.all(
            makers.map((maker) => service.as(maker).offers.create({ ...configuration, claims: {} })),
        );
        const codes = await Promise.all(made.map(codeOf));
        const path = `/internal/v1/admin/users/${account.user_id}`;
        await expectOk(200, { method: 'POST', path: `${path}/suspend`, internal: true });
        for (const code of codes) {
            assert.deepEqual(refusedWith(await tokenCall(issuer_id, redemption(code))), [400, 'invalid_grant']);
        }
        for (const offered of made) assert.deepEqual(refusedWith(await readLink(offered)), [404, 'invalid_request']);
        await expectOk(200, { method: 'POST', path: `${path}/restore`, internal: true });
        for (const code of codes) assert.equal((await tokenCall(issuer_id, redemption(code))).status, 200);
    });
});
