import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallContext } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { decodeDidKey } from '../../../workers/crypto/did-key.ts';
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

function revoke(credential_id: string, { by = issuer, context = by.context, reason }: RevokeOptions = {}) {
    return credentials.revoke({ credential_id, issuer_did: by.did, reason }, context);
}

function status(credential_id: string) {
    return credentials.getStatus({ credential_id }, testContext());
}

test('a revocation is in force for status and verification at once', async () => {
    const { credential_id, credential, ...issued } = await issue();
    assert.deepEqual(shown(await status(credential_id)), { credential_id, revoked: false });
    const revoked = shown(await revoke(credential_id, { reason: 'left the company' }));
    assert.match(String(revoked.revoked_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(revoked, { ...revoked, credential_id, revoked: true, reason: 'left the company' });
    assert.deepEqual(shown(await status(credential_id)), revoked);

    const request = { credential, issuer_did: issuer.did };
    const checked = shown(await credentials.verify({ ...request, check_revocation: true }, testContext()));
    const { issuer: issuer_did, subject, credential_type, issued_at } = issued;
    assert.deepEqual(checked, {
        valid: false,
        issuer: issuer_did,
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

test('a revocation without a reason shows none', async () => {
    const { credential_id } = await issue();
    assert.equal('reason' in shown(await revoke(credential_id)), false);
    assert.equal('reason' in shown(await status(credential_id)), false);
});

test('of fifty revocations at once the first is what all of them answer, and it counts once', async () => {
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

test('refusals come in their order: shape, existence, issuer, rights, and only then the first revocation', async () => {
    const unknownCaller = await newParty(did);
    const { credential_id } = await issue();
    await revoke(credential_id);
    const unknown = `urn:uuid:${newId()}`;
    await refuses('invalid', revoke('urn:uuid:x', { by: unknownCaller }));
    await refuses('invalid', credentials.revoke({ credential_id: unknown, issuer_did: '' }, issuer.context));
    await refuses('not_found', revoke(unknown, { by: unknownCaller }));
    await refuses('forbidden', revoke(credential_id, { by: unknownCaller }));
    await refuses('forbidden', revoke(credential_id, { by: unknownCaller, context: issuer.context }));
    await refuses('forbidden', revoke(credential_id, { context: unknownCaller.context }));
    assert.equal((await revoke(credential_id)).revoked, true);
});

test('who issued it may revoke it, and so may who owns the issuer’s DID; nobody else may', async () => {
    const helper = testContext();
    const issued_by_helper = () => issue(issuer, helper);
    for (const context of [helper, issuer.context]) {
        const { credential_id } = await issued_by_helper();
        assert.equal((await revoke(credential_id, { context })).revoked, true);
    }
    const registrant = testContext();
    await did.create({ public_key: decodeDidKey(issuer.did) }, registrant);
    const { credential_id } = await issued_by_helper();
    for (const context of [registrant, testContext({ trusted: true })]) {
        await refuses('forbidden', revoke(credential_id, { context }));
    }
    await refuses('unauthenticated', revoke(credential_id, { context: testContext({ user_id: undefined }) }));
    assert.equal((await status(credential_id)).revoked, false);
});

test('a trusted caller that acts for nobody revokes what has an owner, which counts for that owner, and what has none', async () => {
    const party = await newParty(did);
    const owned = await issue(party);
    assert.equal((await revoke(owned.credential_id, { by: party, context: internalContext() })).revoked, true);
    assert.equal(await counted(db, party.account, 'credentials_revoked'), 1);
    const ownerless = await issue(party, internalContext());
    assert.equal((await revoke(ownerless.credential_id, { by: party, context: internalContext() })).revoked, true);
    assert.equal(await counted(db, null, 'credentials_revoked'), 1);
});

test('what was issued for nobody may be revoked by who owns the issuer’s DID, and by no other account', async () => {
    const { credential_id } = await issue(issuer, internalContext());
    await refuses('forbidden', revoke(credential_id, { context: testContext() }));
    assert.equal((await revoke(credential_id)).revoked, true);
});

test('a reason may have 2,000 characters of any kind but NUL', async () => {
    const { credential_id } = await issue();
    for (const reason of ['x'.repeat(2_001), '\u{1f600}'.repeat(2_001), 'a\0b']) {
        await refuses('invalid', revoke(credential_id, { reason }));
    }
    const longest = '\u{1f600}'.repeat(2_000);
    assert.equal((await revoke(credential_id, { reason: longest })).reason, longest);
});

test('the status of an unknown id is unknown, that of a malformed one is refused', async () => {
    const { credential_id } = await issue();
    await refuses('not_found', status(`urn:uuid:${newId()}`));
    const uuid = credential_id.slice('urn:uuid:'.length);
    const malformed = ['', 'urn:uuid:', 'urn:uuid:x', uuid, `urn:uuid:${uuid.toUpperCase()}`, `URN:UUID:${uuid}`];
    malformed.push(` ${credential_id}`, `${credential_id}\0`, `${credential_id}x`, 'x'.repeat(100_000));
    for (const id of malformed) await refuses('invalid', status(id));
});
