import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../platform/ids.ts';
import {
    CredentialsServiceDefinition,
    type IssueItem,
    type VerifyRequest,
} from '../../../proto/gen/credentials/v1/credentials.ts';
import { credentialsService } from '../../../services/credentials/service.ts';
import { testContext } from '../../support/harness.ts';
import { reached } from '../services/reached.ts';
import { counted, newParty, refuses, requestBy, shown } from './credentials.fixture.ts';
import { keyOf, startBatches } from './credentials-batches.fixture.ts';

const { db, dependencies, did, signing, signatures, credentials, issuer, other, good, bad, issueMany, issued } =
    await startBatches();

describe('a batch is refused as a whole', () => {
    const none = { credentials: [], check_revocation: false };
    it('if it has no items or too many', async () => {
        for (const count of [0, 1_001]) {
            const ids = Array<string>(count).fill(`urn:uuid:${newId()}`);
            await refuses('invalid', issueMany(Array<IssueItem>(count).fill(good)));
            await refuses('invalid', credentials.getStatusMany({ credential_ids: ids }, testContext()));
            const items = ids.map((credentialId) => ({ credential_id: credentialId, reason: undefined }));
            const request = { issuer_did: issuer.did, reason: undefined, items };
            await refuses('invalid', credentials.revokeMany(request, issuer.context));
        }
        const items = Array<VerifyRequest>(1_001).fill({ credential: '', issuer_did: '', check_revocation: false });
        await refuses('invalid', credentials.verifyMany({ ...none, items }, testContext()));
        const both = { ...none, credentials: ['x'], items: items.slice(0, 1) };
        await refuses('invalid', credentials.verifyMany(both, testContext()));
    });

    it('if its issuer, its key or its common reason is invalid, and nothing is done', async () => {
        const party = await newParty(did);
        const before = await counted(db, party.account, 'credentials_issued');
        for (const wrong of [
            { ...keyOf(party), issuer_did: 'did:web:x' },
            { ...keyOf(party), issuer_did: other.did },
            { ...keyOf(party), issuer_private_key: new Uint8Array(31) },
        ]) {
            await refuses(
                'invalid',
                credentials.issueMany({ ...wrong, items: [good], refused_places: [] }, party.context),
            );
        }
        assert.equal(await counted(db, party.account, 'credentials_issued'), before);
        const items = [{ credential_id: (await issued(1, party))[0] ?? '', reason: 'short' }];
        const request = { issuer_did: party.did, reason: 'x'.repeat(2_001), items };
        await refuses('invalid', credentials.revokeMany(request, party.context));
    });

    it('if its texts are too large for the answer', async () => {
        const items = Array<IssueItem>(20).fill({ ...good, claims: `{"a":"${'x'.repeat(60_000)}"}` });
        await refuses('too_large', issueMany(items));
    });
});

describe('a batch', () => {
    it('counts each credential that it has issued and revoked once', async () => {
        const party = await newParty(did);
        const ids = await issued(100, party);
        await issueMany([...bad, good], party);
        assert.equal(await counted(db, party.account, 'credentials_issued'), 101);
        const items = [...ids, ...ids].map((credentialId) => ({ credential_id: credentialId, reason: undefined }));
        await credentials.revokeMany({ issuer_did: party.did, reason: 'all', items }, party.context);
        assert.equal(await counted(db, party.account, 'credentials_revoked'), 100);
    });

    it('answers the first revocation for each item with the same id', async () => {
        const [credentialId = ''] = await issued(1);
        const items = Array.from({ length: 100 }, (_, index) => ({
            credential_id: credentialId,
            reason: `reason ${index}`,
        }));
        const { results } = await credentials.revokeMany(
            { issuer_did: issuer.did, reason: undefined, items },
            issuer.context,
        );
        const kept = shown(await credentials.getStatus({ credential_id: credentialId }, testContext()));
        assert.equal(kept.revoked, true);
        for (const { value } of results) assert.deepEqual(shown(value), kept);
    });

    it('uses the common reason for items without one', async () => {
        const [one = '', two = ''] = await issued(2);
        const items = [
            { credential_id: one, reason: undefined },
            { credential_id: two, reason: 'own' },
        ];
        const { results } = await credentials.revokeMany(
            { issuer_did: issuer.did, reason: 'common', items },
            issuer.context,
        );
        assert.deepEqual(
            results.map(({ value }) => value?.reason),
            ['common', 'own'],
        );
    });

    it('has no room for more than 3 MiB of reasons, and says so for each of the others', async () => {
        const ids = await issued(450);
        const items = ids.map((credentialId) => ({ credential_id: credentialId, reason: undefined }));
        const request = { issuer_did: issuer.did, reason: '\u{1f600}'.repeat(2_000), items };
        const { results } = await credentials.revokeMany(request, issuer.context);
        const fits = Math.floor((3 << 20) / 8_000);
        const codes = results.map(({ failure }) => failure?.code);
        assert.deepEqual(codes, [...Array(fits).fill(undefined), ...Array(450 - fits).fill('too_large')]);
        const rest = await credentials.getStatusMany({ credential_ids: ids.slice(fits) }, testContext());
        assert.ok(rest.results.every(({ value }) => value?.revoked));
    });

    it('asks once whether the caller owns the DID of the issuer', async () => {
        const ids = (await Promise.all([1, 2, 3].map(() => credentials.issue(requestBy(issuer), other.context)))).map(
            ({ credential_id }) => credential_id,
        );
        let asked = 0;
        const filterOwned: typeof did.filterOwned = (...call) => {
            asked++;
            return did.filterOwned(...call);
        };
        const services = { did: { ...did, filterOwned }, signing };
        const deps = { ...dependencies, services };
        const own = reached(CredentialsServiceDefinition, credentialsService({ ...deps, listScope: 'owner' }));
        const items = ids.map((credentialId) => ({ credential_id: credentialId, reason: undefined }));
        const { results } = await own.revokeMany({ issuer_did: issuer.did, reason: undefined, items }, issuer.context);
        assert.ok(results.every(({ value }) => value?.revoked));
        assert.equal(asked, 1);
    });

    it('fails the items alone that have no time left, and answers in time', async () => {
        const hanging = {
            ...signatures,
            sign: async (...call: Parameters<typeof signatures.sign>) => {
                if (call[0].payload.includes('"hangs"')) await delay(60_000, undefined, { ref: false });
                return signatures.sign(...call);
            },
        };
        const deps = { ...dependencies, signatures: hanging, services: { did, signing } };
        const service = reached(CredentialsServiceDefinition, credentialsService({ ...deps, listScope: 'owner' }));
        const within = (ms: number) => ({ ...issuer.context, deadline: performance.now() + ms });
        const hangs = { ...good, claims: '{"hangs":1}' };
        const request = { ...keyOf(issuer), items: [good, hangs, good], refused_places: [] };
        for (const ms of [2_500, 1_900]) {
            const context = within(ms);
            const { results } = await service.issueMany(request, context);
            assert.ok(performance.now() < context.deadline);
            assert.deepEqual(
                results.map(({ failure }) => failure?.code),
                [undefined, 'deadline', undefined],
            );
        }
    });
});
