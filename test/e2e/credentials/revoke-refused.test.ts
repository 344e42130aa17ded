import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError } from '../support/client.ts';
import { exchange, requestText } from '../support/socket.ts';
import { revoking, UNKNOWN_ID } from './revoke.fixture.ts';

const { issuer, revokeCall, statusCall, newCredential, expectNotRevoked } = await revoking();

describe('an invalid revocation', () => {
    for (const [what, body] of [
        ['no body', undefined],
        ['no issuer', { reason: 'x' }],
        ['null as issuer', { issuer_did: null }],
        ['a number as issuer', { issuer_did: 5 }],
        ['an array as issuer', { issuer_did: [issuer.did] }],
        ['an issuer that is not a DID', { issuer_did: 'x' }],
        ['an issuer of another method', { issuer_did: 'did:web:x' }],
        ['a number as reason', { issuer_did: issuer.did, reason: 5 }],
        ['an object as reason', { issuer_did: issuer.did, reason: {} }],
        ['a reason of 2,001 characters', { issuer_did: issuer.did, reason: 'a'.repeat(2_001) }],
        ['NUL in the reason', { issuer_did: issuer.did, reason: 'a\0b' }],
        ['a lone surrogate in the reason', { issuer_did: issuer.did, reason: 'a\ud800b' }],
    ] as const) {
        it(`with ${what} is refused, and nothing is revoked`, async () => {
            const issued = await newCredential();
            await expectError(400, revokeCall(issued.credential_id, body));
            await expectNotRevoked(issued);
        });
    }

    const uuid = UNKNOWN_ID.slice('urn:uuid:'.length);
    for (const id of [
        'x',
        uuid,
        'urn:uuid:',
        'urn:uuid:x',
        `URN:UUID:${uuid}`,
        `urn:uuid:${uuid.toUpperCase()}`,
        `urn:uuid:${uuid.replaceAll('-', '')}`,
        `urn:uuid:{${uuid}}`,
        `urn:uuid:${uuid}0`,
        `urn:uuid:${uuid.slice(0, -1)}`,
        ` ${UNKNOWN_ID}`,
        `${UNKNOWN_ID} `,
        `${UNKNOWN_ID}\n`,
        `${UNKNOWN_ID}\0`,
        `${UNKNOWN_ID}/x`,
        "urn:uuid:' OR 1=1 --",
        'u'.repeat(12_000),
    ]) {
        it(`of ${JSON.stringify(id.slice(0, 60))} is refused, and so is a status call`, async () => {
            await expectError(400, revokeCall(id, { issuer_did: issuer.did }));
            await expectError(400, statusCall(id));
        });
    }

    it('of an id of 100,000 characters is refused for its length', async () => {
        const answer = await exchange(requestText(`GET /v1/credentials/status/${'u'.repeat(100_000)}`));
        assert.equal(answer?.status, 431);
    });

    for (const unknown of [
        UNKNOWN_ID,
        'urn:uuid:00000000-0000-0000-0000-000000000000',
        'urn:uuid:11111111-1111-1111-1111-111111111111',
        'urn:uuid:ffffffff-ffff-ffff-ffff-ffffffffffff',
        'urn:uuid:f47ac10b-58cc-4372-a567-0e02b2c3d479',
    ]) {
        it(`of the unknown id ${unknown} gets 404`, async () => {
            await expectError(404, statusCall(unknown));
            await expectError(404, revokeCall(unknown, { issuer_did: issuer.did }));
        });
    }
});
