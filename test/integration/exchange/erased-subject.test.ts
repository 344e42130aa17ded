import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { testContext } from '../../support/harness.ts';
import { newWalletKey } from '../../support/wallets/wallet-keys.ts';
import { exchangeFixture } from './exchange.fixture.ts';
import { refusedWith, walletRequests } from './wallet-requests.ts';

const { service, issued, erasedSubjects, failure, redeemed, clock, db } = await exchangeFixture();
const { ask, proofOf } = walletRequests({ service, clock });

const eraseSubject = (subject: string) =>
    service.eraseSubject({ subject_did: subject }, testContext({ trusted: true }));

it('the erasure of a subject ends the offers that name it, open or redeemed, of whatever account', async () => {
    const subject = `did:web:${randomUUID()}.example`;
    const own = [await redeemed({ subject_did: subject }), await redeemed({ subject_did: subject })];
    const other = await redeemed({ subject_did: `${subject}.org` });
    const { issuer_id, configuration_id, context } = own[0] ?? assert.fail();
    const open = await service.createOffer(
        { issuer_id, configuration_id, claims: '{}', subject_did: subject, tx_code: { description: 'For Ada' } },
        context,
    );
    assert.deepEqual(await eraseSubject(subject), { done: true });

    for (const offered of own) {
        assert.equal((await service.getOffer(offered, offered.context)).state, 'expired');
        await assert.rejects(service.getCredentialOffer(offered, offered.wallet), { kind: 'not_found' });
        await assert.rejects(ask(offered, [proofOf(newWalletKey(), offered)]), refusedWith('invalid_token'));
    }
    const rows = await db.rows(sql.unsafe`
        SELECT DISTINCT sealed = '' AND subject_hash IS NULL AND tx_code IS NULL AS is_empty FROM exchange.offers
        WHERE id = ANY(${sql.array([open.offer?.offer_id ?? '', ...own.map(({ offer_id }) => offer_id)], 'uuid')})`);
    assert.deepEqual(rows, [{ is_empty: true }]);
    await ask(other, [proofOf(newWalletKey(), other)]);
});

it('a credential that is issued during the erasure of its subject is erased, too, and nobody gets it', async () => {
    const subject = `did:web:${randomUUID()}.example`;
    const offered = await redeemed({ subject_did: subject });
    failure.meanwhile = () => eraseSubject(subject);
    const asked = ask(offered, [proofOf(newWalletKey(), offered)]);
    await assert.rejects(asked, refusedWith('credential_request_denied'));
    assert.equal(issued.at(-1)?.request.subject_did, subject);
    assert.deepEqual(erasedSubjects, [subject]);
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
