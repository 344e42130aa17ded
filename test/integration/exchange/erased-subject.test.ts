import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { testContext } from '../../support/harness.ts';
import { newWalletKey } from '../../support/wallets/wallet-keys.ts';
import { exchangeFixture } from './exchange.fixture.ts';
import { refusedWith, walletRequests } from './wallet-requests.ts';

const { service, redeemed, clock, db } = await exchangeFixture();
const { ask, proofOf } = walletRequests({ service, clock });

it('the erasure of a subject removes the offers that name it, open or redeemed, of whatever account', async () => {
    const subject = `did:web:${randomUUID()}.example`;
    const own = [await redeemed({ subject_did: subject }), await redeemed({ subject_did: subject })];
    const other = await redeemed({ subject_did: `${subject}.org` });
    const { issuer_id, configuration_id, context } = own[0] ?? assert.fail();
    const offer = () =>
        service.createOffer({ issuer_id, configuration_id, claims: '{}', subject_did: subject }, context);
    for (let more = 0; more < 2; more++) await offer();
    await assert.rejects(offer(), { kind: 'forbidden' }); // the quota is 3

    const trusted = testContext({ trusted: true });
    assert.deepEqual(await service.eraseSubject({ subject_did: subject }, trusted), { done: true });

    for (const offered of own) {
        await assert.rejects(service.getOffer(offered, offered.context), { kind: 'not_found' });
        await assert.rejects(service.getCredentialOffer(offered, offered.wallet), { kind: 'not_found' });
        await assert.rejects(ask(offered, [proofOf(newWalletKey(), offered)]), refusedWith('invalid_token'));
    }
    assert.equal((await service.getQuotas({}, context)).offers?.used, 0);
    await ask(other, [proofOf(newWalletKey(), other)]);
});

it('the database has no DID of a subject of an offer', async () => {
    const subject = `did:web:${randomUUID()}.example`;
    const { offer_id } = await redeemed({ subject_did: subject });
    const [row] = await db.rows(sql.unsafe`SELECT string_agg(offers::text, '') AS text FROM exchange.offers AS offers`);
    const { text } = row as { text: string };
    assert.ok(text.includes(offer_id));
    for (const spelling of [subject, Buffer.from(subject).toString('hex')]) assert.ok(!text.includes(spelling));
});

it('a subject is erased by trusted callers alone', async () => {
    await assert.rejects(service.eraseSubject({ subject_did: 'did:web:a.example' }, testContext({})), {
        kind: 'forbidden',
    });
});
