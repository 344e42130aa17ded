import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { CredentialsServiceDefinition } from '../../../proto/gen/credentials/v1/credentials.ts';
import { credentialsService } from '../../../services/credentials/service.ts';
import type { Signatures } from '../../../workers/crypto/signatures.ts';
import { testContext } from '../../support/harness.ts';
import { reached } from '../services/reached.ts';
import { newParty, requestBy, startServices } from './credentials.fixture.ts';

const { dependencies, signatures, did, signing, credentials } = await startServices();
const party = await newParty(did);
const tokens = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
        const { credential } = await credentials.issue(
            requestBy(party, { claims: `{"index":${index}}` }),
            party.context,
        );
        return credential;
    }),
);

test('a call with a hundred tokens is answered in order, and another call does not wait for all of them', async () => {
    const { credential } = await credentials.issue(requestBy(party), party.context);
    const asked: string[] = [];
    const slow: Signatures = {
        ...signatures,
        async open(request) {
            asked.push(request.token);
            await setImmediate();
            return signatures.open(request);
        },
    };
    const deps = { ...dependencies, signatures: slow, services: { did, signing } };
    const busy = reached(CredentialsServiceDefinition, credentialsService({ ...deps, listScope: 'owner' }));
    const many = busy.verifyMany({ credentials: tokens, check_revocation: false, items: [] }, testContext());
    await setImmediate(); // now the call with a hundred tokens has begun
    const single = busy.verify({ credential, issuer_did: party.did, check_revocation: false }, testContext());
    const { results } = await many;
    assert.equal((await single).valid, true);
    assert.deepEqual(
        results.map(({ claims }) => claims),
        tokens.map((_, index) => `{"index":${index}}`),
    );
    assert.ok(asked.indexOf(credential) < tokens.length, `verified after ${asked.indexOf(credential)} others`);
});
