import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallContext } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { ERASED_SUBJECT } from '../../../services/counts/erased-subject.ts';
import { decodeDidKey } from '../../../tokens/did-key.ts';
import { testContext } from '../../support/harness.ts';
import {
    counted,
    internalContext,
    newParty,
    type Party,
    refuses,
    requestBy,
    shown,
    startServices,
} from './credentials.fixture.ts';

const { db, did, credentials } = await startServices();
const issuer = await newParty(did);

function issue(party: Party = issuer, context = party.context) {
    return credentials.issue(requestBy(party), context);
}

interface RevokeOptions {
    by?: Party;
    context?: CallContext;
    reason?: string;
}

function revoke(credentialId: string, { by = issuer, context = by.context, reason }: RevokeOptions = {}) {
    return credentials.revoke({ credential_id: credentialId, issuer_did: by.did, reason }, context);
}

function status(credentialId: string) {
    return credentials.getStatus({ credential_id: credentialId }, testContext());
}

test('a revocation takes effect at once for status and verification', async () => {
    const { credential_id, credential, ...issued } = await issue();
    assert.deepEqual(shown(await status(credential_id)), { credential_id, revoked: false });
    const revoked = shown(await revoke(credential_id, { reason: 'left the company' }));
    assert.match(String(revoked.revoked_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(revoked, { ...revoked, credential_id, revoked: true, reason: 'left the company' });
    assert.deepEqual(shown(await status(credential_id)), revoked);

    const request = { credential, issuer_did: issuer.did };
    const checked = shown(await credentials.verify({ ...request, check_revocation: true }, testContext()));
    const { issuer: issuerDid, subject, credential_type, issued_at } = issued;
    assert.deepEqual(checked, {
        valid: false,
        issuer: issuerDid,
        subject,
        credential_type,
        issued_at,
        revoked: true,
        expired: false,
        error: 'The credential has been revoked.',
    });
    const unchecked = await credentials.verify({ ...request, check_revocation: false }, testContext());
    assert.deepEqual([unchecked.valid, unchecked.revoked, unchecked.error], [true, false, undefined]);
});

test('a revocation without a reason is shown without one', async () => {
    const { credential_id } = await issue();
    assert.equal('reason' in shown(await revoke(credential_id)), false);
    assert.equal('reason' in shown(await status(credential_id)), false);
});

test('the reason of a revocation is not kept if the subject is erased', async () => {
    const { credential_id } = await issue();
    await credentials.eraseSubject({ subject_did: issuer.did }, testContext({ trusted: true }));
    await revoke(credential_id, { reason: 'about the person' });
    const { revoked, reason } = await status(credential_id);
    assert.deepEqual([revoked, reason], [true, undefined]);
    const kept = await db.rows(sql.unsafe`
        SELECT revocation_reason FROM credentials.credentials WHERE id = ${credential_id.slice('urn:uuid:'.length)}`);
    assert.deepEqual(kept, [{ revocation_reason: null }]);
});

test('nothing can be issued to the subject that stands for erased people', async () => {
    const request = requestBy(issuer, { subject_did: ERASED_SUBJECT });
    await refuses('invalid', credentials.issue(request, issuer.context));
});

test('fifty concurrent revocations of a credential all return the first one, which counts once', async () => {
    const party = await newParty(did);
    for (let round = 0; round < 10; round++) {
        const { credential_id } = await issue(party);
        const answers = await Promise.all(
            Array.from({ length: 50 }, (_, index) => revoke(credential_id, { by: party, reason: `reason ${index}` })),
        );
        const kept = shown(await status(credential_id));
        assert.ok(kept.revoked && kept.revoked_at && kept.reason);
        for (const answer of answers) assert.deepEqual(shown(answer), kept);
        assert.deepEqual(shown(await revoke(credential_id, { by: party, reason: 'later' })), kept);
        assert.equal(await counted(db, party.account, 'credentials_revoked'), round + 1);
    }
});

test('revoke checks shape, existence, issuer and rights in this order; then it returns the first revocation', async () => {
    const otherContext = await newParty(did);
    const { credential_id } = await issue();
    await revoke(credential_id);
    const unknown = `urn:uuid:${newId()}`;
    await refuses('invalid', revoke('urn:uuid:x', { by: otherContext }));
    await refuses('invalid', credentials.revoke({ credential_id: unknown, issuer_did: '' }, issuer.context));
    await refuses('not_found', revoke(unknown, { by: otherContext }));
    await refuses('forbidden', revoke(credential_id, { by: otherContext }));
    await refuses('forbidden', revoke(credential_id, { by: otherContext, context: issuer.context }));
    await refuses('forbidden', revoke(credential_id, { context: otherContext.context }));
    assert.equal((await revoke(credential_id)).revoked, true);
});

test('the account that issued a credential and the owner of its issuer DID may revoke it, others may not', async () => {
    const helper = testContext();
    const issuedByHelper = () => issue(issuer, helper);
    for (const context of [helper, issuer.context]) {
        const { credential_id } = await issuedByHelper();
        assert.equal((await revoke(credential_id, { context })).revoked, true);
    }
    const registrant = testContext();
    await did.create({ public_key: decodeDidKey(issuer.did) }, registrant);
    const { credential_id } = await issuedByHelper();
    for (const context of [registrant, testContext({ trusted: true })]) {
        await refuses('forbidden', revoke(credential_id, { context }));
    }
    await refuses('unauthenticated', revoke(credential_id, { context: testContext({ user_id: undefined }) }));
    assert.equal((await status(credential_id)).revoked, false);
});

test('a trusted caller that acts for no account may revoke any credential, and it counts for the owner', async () => {
    const party = await newParty(did);
    const owned = await issue(party);
    assert.equal((await revoke(owned.credential_id, { by: party, context: internalContext() })).revoked, true);
    assert.equal(await counted(db, party.account, 'credentials_revoked'), 1);
    const ownerless = await issue(party, internalContext());
    assert.equal((await revoke(ownerless.credential_id, { by: party, context: internalContext() })).revoked, true);
    assert.equal(await counted(db, null, 'credentials_revoked'), 1);
});

test('a credential issued for no account may be revoked by the owner of its issuer DID, not by others', async () => {
    const { credential_id } = await issue(issuer, internalContext());
    await refuses('forbidden', revoke(credential_id, { context: testContext() }));
    assert.equal((await revoke(credential_id)).revoked, true);
});

test('a reason may have up to 2,000 characters, except NUL', async () => {
    const { credential_id } = await issue();
    for (const reason of ['x'.repeat(2_001), '\u{1f600}'.repeat(2_001), 'a\0b']) {
        await refuses('invalid', revoke(credential_id, { reason }));
    }
    const longest = '\u{1f600}'.repeat(2_000);
    assert.equal((await revoke(credential_id, { reason: longest })).reason, longest);
});

test('the status of an unknown id is not found, and the status of a malformed id is refused as invalid', async () => {
    const { credential_id } = await issue();
    await refuses('not_found', status(`urn:uuid:${newId()}`));
    const uuid = credential_id.slice('urn:uuid:'.length);
    const malformed = ['', 'urn:uuid:', 'urn:uuid:x', uuid, `urn:uuid:${uuid.toUpperCase()}`, `URN:UUID:${uuid}`];
    malformed.push(` ${credential_id}`, `${credential_id}\0`, `${credential_id}x`, 'x'.repeat(100_000));
    for (const id of malformed) await refuses('invalid', status(id));
});
