import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { withIdempotencyKey } from '../../../platform/context.ts';
import { exchangeFixture } from './exchange.fixture.ts';

const { service, redeemed } = await exchangeFixture();

it('an offer that is asked for again is the same one, however its values are written', async () => {
    const { issuer_id, configuration_id, context } = await redeemed();
    const own = withIdempotencyKey(context, randomUUID());
    const offer = { issuer_id, configuration_id, claims: '{}' };
    const first = { ...offer, expiration_date: '2027-01-01T00:00:00Z', tx_code: {} };
    const made = await service.createOffer(first, own);
    const expirationDate = '2027-01-01T01:00:00+01:00';
    const txCode = { length: 6, input_mode: 'numeric' };
    assert.deepEqual(
        await service.createOffer({ ...offer, expires_in: 900, expiration_date: expirationDate, tx_code: txCode }, own),
        made,
    );
    for (const other of [{ expires_in: 901 }, { tx_code: { length: 7 } }, { tx_code: { description: 'a' } }])
        await assert.rejects(service.createOffer({ ...first, ...other }, own), { kind: 'unprocessable' });
});
