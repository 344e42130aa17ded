import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, send, service } from '../support/client.ts';
import { aConfiguration, anOffer, codeOf, GRANT, linked, readLink, redeemed } from './exchange-examples.ts';
import { identifierOf, redemption, refusedWith, tokenCall } from './wallet.ts';

describe('the link of an offer', () => {
    it('can be read again and again, also after the code is spent', async () => {
        const offered = await anOffer({ tx_code: { length: 4, description: 'It is in the letter.' } });
        const { issuer_id, secret } = linked(offered);
        const first = await service.exchange.offer({ issuer_id, secret });
        const code = first.grants[GRANT]['pre-authorized_code'];
        assert.deepEqual(first, {
            credential_issuer: identifierOf(issuer_id),
            credential_configuration_ids: ['membership'],
            grants: {
                [GRANT]: {
                    'pre-authorized_code': code,
                    tx_code: { length: 4, input_mode: 'numeric', description: 'It is in the letter.' },
                },
            },
        });
        await redeemed(offered);
        assert.deepEqual(await service.exchange.offer({ issuer_id, secret }), first);
    });

    it('leads nowhere below another issuer, or with another secret', async () => {
        const [{ secret }, other] = [linked(await anOffer()), linked(await anOffer())];
        for (const path of [`${other.issuer_id}/offers/${secret}`, `${other.issuer_id}/offers/x`, 'x/offers/y']) {
            const answer = await send({ path: `/issuers/${path}` });
            assert.deepEqual(refusedWith(answer), [404, 'invalid_request']);
        }
    });
});

describe('the token endpoint', () => {
    it('spends a code once, for a token that is shown as redeemed', async () => {
        const offered = await anOffer();
        const { issuer_id, offer_id, token } = offered;
        const code = await codeOf(offered);
        const first = await tokenCall(issuer_id, { ...redemption(code), resource: 'x', user_pin: '1', client_id: 'w' });
        assert.equal(first.status, 200, first.text);
        const { access_token, ...rest } = JSON.parse(first.text);
        assert.match(access_token, /^[A-Za-z0-9_-]{43}$/);
        assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 300 });
        const again = await tokenCall(issuer_id, redemption(code));
        assert.deepEqual(refusedWith(again), [400, 'invalid_grant']);
        for (const { headers } of [first, again]) {
            assert.deepEqual([headers.get('cache-control'), headers.get('pragma')], ['no-store', 'no-cache']);
        }
        assert.equal((await service.as({ token }).offers.get({ offer_id })).state, 'redeemed');
    });

    it('lets a wrong transaction code spend nothing, but the fifth one end the offer on all gateways', async () => {
        const kept = await anOffer({ tx_code: {} });
        const code = await codeOf(kept);
        const wrong = (value: string | undefined) => (value === '000000' ? '000001' : '000000');
        const guessed = [wrong(kept.tx_code), '12', '1'.repeat(1_100), '7'.repeat(7_000)];
        for (const [count, guess] of guessed.entries()) {
            const answer = await tokenCall(kept.issuer_id, redemption(code, guess), { gateway: count % 2 });
            assert.deepEqual(refusedWith(answer), [400, 'invalid_grant']);
        }
        assert.equal((await tokenCall(kept.issuer_id, redemption(code, kept.tx_code))).status, 200);

        const lost = await anOffer({ tx_code: {} });
        const form = redemption(await codeOf(lost), wrong(lost.tx_code));
        const guesses = Array.from({ length: 20 }, (_, index) =>
            tokenCall(lost.issuer_id, form, { gateway: index % 2 }),
        );
        for (const guess of await Promise.all(guesses)) assert.deepEqual(refusedWith(guess), [400, 'invalid_grant']);
        const right = { ...form, tx_code: lost.tx_code ?? '' };
        for (const gateway of [0, 1]) {
            assert.deepEqual(refusedWith(await tokenCall(lost.issuer_id, right, { gateway })), [400, 'invalid_grant']);
        }
        const { state } = await service.as(lost).offers.get({ offer_id: lost.offer_id });
        assert.equal(state, 'locked');
        assert.equal((await readLink(lost)).status, 404);
    });

    it('refuses a transaction code that nobody asked for, and a missing one, without spending anything', async () => {
        const plain = await anOffer();
        const plainCode = await codeOf(plain);
        assert.deepEqual(refusedWith(await tokenCall(plain.issuer_id, redemption(plainCode, '1234'))), [
            400,
            'invalid_request',
        ]);
        assert.equal((await tokenCall(plain.issuer_id, redemption(plainCode))).status, 200);
        const guarded = await anOffer({ tx_code: {} });
        const code = await codeOf(guarded);
        for (const form of [redemption(code), redemption(code, '')]) {
            assert.deepEqual(refusedWith(await tokenCall(guarded.issuer_id, form)), [400, 'invalid_request']);
        }
        assert.equal((await tokenCall(guarded.issuer_id, redemption(code, guarded.tx_code))).status, 200);
    });

    it('takes a transaction code in small letters', async () => {
        const offered = await anOffer({ tx_code: { length: 8, input_mode: 'text' } });
        const typed = offered.tx_code?.toLowerCase();
        assert.equal((await tokenCall(offered.issuer_id, redemption(await codeOf(offered), typed))).status, 200);
    });

    it('refuses what is no form of this grant', async () => {
        const offered = await anOffer();
        const { issuer_id } = offered;
        const form = redemption(await codeOf(offered));
        const text = new URLSearchParams(form).toString();
        const json = { 'content-type': 'application/json' };
        const cases: Array<[Promise<Answer>, number, string]> = [
            [tokenCall(issuer_id, JSON.stringify(form), { headers: json }), 400, 'invalid_request'],
            [tokenCall(issuer_id, `${text}&grant_type=x`), 400, 'invalid_request'],
            [tokenCall(issuer_id, `${text}&other=1&other=2`), 400, 'invalid_request'],
            [tokenCall(issuer_id, `${text}&a=%`), 400, 'invalid_request'],
            [tokenCall(issuer_id, { grant_type: GRANT }), 400, 'invalid_request'],
            [tokenCall(issuer_id, ''), 400, 'invalid_request'],
            [tokenCall(issuer_id, { ...form, grant_type: 'authorization_code' }), 400, 'unsupported_grant_type'],
            [tokenCall(issuer_id, `${text}&a=${'a'.repeat(8 << 10)}`), 413, 'invalid_request'],
            [tokenCall(issuer_id, redemption('a'.repeat(43))), 400, 'invalid_grant'],
            [tokenCall('x', form), 400, 'invalid_grant'],
        ];
        for (const [answer, status, name] of cases) assert.deepEqual(refusedWith(await answer), [status, name]);
        const other = await aConfiguration();
        assert.deepEqual(refusedWith(await tokenCall(other.issuer_id, form)), [400, 'invalid_grant']);
        assert.equal((await send({ path: `/issuers/${issuer_id}/token` })).status, 405);
        assert.equal((await tokenCall(issuer_id, form)).status, 200); // none of these has spent it
    });
});
