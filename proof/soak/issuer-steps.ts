import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Client } from '../../client/src/client.ts';
import { type aManagedIssuer, issueBody, presentationBody } from '../../test/e2e/support/world.ts';

export type ManagedIssuer = Awaited<ReturnType<typeof aManagedIssuer>>;

/** Issues, presents and verifies in the name of a managed issuer. */
export function issuerSteps(
    { issuers, credentials, presentations }: Client,
    { issuer_id, did }: ManagedIssuer,
): Array<() => Promise<unknown>> {
    const options = { idempotency_key: randomUUID() };
    const issue = () => credentials.issue(issueBody({ did }, 'did:web:subject.example'), options);
    let credential = '';
    return [
        async () => {
            ({ credential } = await issue());
        },
        async () => assert.equal((await issue()).credential, credential),
        async () => assert.equal((await credentials.verify({ credential, issuer_did: did })).valid, true),
        () => presentations.create(presentationBody({ did }, [credential])),
        () => issuers.list({ limit: 10 }),
        () => issuers.get({ issuer_id }),
        () => issuers.document({ issuer_id }),
    ];
}
