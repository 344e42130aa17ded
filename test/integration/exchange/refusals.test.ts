import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PRE_AUTHORIZED_CODE } from '../../../proto/openid4vci.ts';
import { exchangeFixture } from './exchange.fixture.ts';

const { service, metrics, clock, redeemed } = await exchangeFixture();

/** How many requests of wallets were refused, by endpoint and error, without those that never were. */
async function refusals(): Promise<Record<string, number>> {
    const { text } = await metrics.expose();
    const found = text.matchAll(/^exchange_refusals_total\{endpoint="(\w+)",error="(\w+)"\} ([1-9]\d*)$/gm);
    return Object.fromEntries(
        Array.from(found, ([, endpoint, error, count]) => [`${endpoint} ${error}`, Number(count)]),
    );
}

it('the metrics count what wallets are refused, by endpoint and error', async () => {
    const { issuer_id, offer_id, access_token, wallet } = await redeemed();
    assert.deepEqual(await refusals(), {});
    const code = { issuer_id, grant_type: PRE_AUTHORIZED_CODE, code: 'x' };
    for (let count = 0; count < 2; count++) await assert.rejects(service.redeem(code, wallet));
    const notification = { issuer_id, access_token, notification_id: offer_id, event: 'x' };
    await assert.rejects(service.notify(notification, wallet));
    const request = { issuer_id, access_token: 'x', encrypted: false, proofs: [] };
    await assert.rejects(service.issueCredential(request, wallet));
    assert.deepEqual(await refusals(), {
        'token invalid_grant': 2,
        'notification invalid_notification_request': 1,
        'credential invalid_token': 1,
    });
});

it('a wallet gets no credential that has expired since its code was spent', async () => {
    const expirationDate = new Date(clock.now + 61_000).toISOString();
    const { issuer_id, configuration_id, access_token, wallet } = await redeemed({
        expires_in: 60,
        expiration_date: expirationDate,
    });
    const request = { issuer_id, configuration_id, access_token, encrypted: false, proofs: ['no proof'] };
    clock.now += 60_999;
    await assert.rejects(service.issueCredential(request, wallet), { reason: 'invalid_proof' });
    clock.now += 1;
    await assert.rejects(service.issueCredential(request, wallet), {
        reason: 'credential_request_denied',
        detail: 'The credential of this offer has expired.',
    });
});
