import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Client, CredentialsIssueData } from '../../client/src/client.ts';
import { type Did, issueBody } from '../../test/e2e/support/world.ts';
import type { Step } from './step.ts';

/** Number of credentials in the batch of a visit. */
const BATCH_ITEMS = 5;

/** Issues a credential, and repeats the call with the same Idempotency-Key. */
export function issueTwice({ credentials }: Client, did: Did): Step[] {
    const input = issueBody(did, 'did:web:subject.example');
    const options = { idempotency_key: randomUUID() };
    const issue = () => credentials.issue(input, options);
    let first: unknown;
    return [
        async () => {
            first = await issue();
        },
        async () => assert.deepEqual(await issue(), first),
    ];
}

/** Issues a credential with a place on a status list, revokes it, and reads the list. */
export function statusListSteps({ credentials, statusLists }: Client, did: Did): Step[] {
    let issued: CredentialsIssueData | undefined;
    const listId = () => issued?.status?.status_list.uri.split('/').at(-1) ?? '';
    return [
        async () => {
            issued = await credentials.issue({ ...issueBody(did, 'did:web:subject.example'), status_list: true });
        },
        () => credentials.revoke({ credential_id: issued?.credential_id ?? '', issuer_did: did.did }),
        () => statusLists.get({ list_id: listId() }),
        () => statusLists.list(),
    ];
}

/** Issues a batch of credentials, and revokes them in a batch. */
export function batchSteps({ credentials: { batch } }: Client, did: Did): Step[] {
    const { issuer_did, issuer_private_key, ...item } = issueBody(did, 'did:web:subject.example');
    let items: { credential_id: string }[] = [];
    return [
        async () => {
            const made = await batch.issue({ issuer_did, issuer_private_key, items: Array(BATCH_ITEMS).fill(item) });
            items = made.results.flatMap((result) => (result.ok ? [{ credential_id: result.credential_id }] : []));
            assert.equal(items.length, BATCH_ITEMS);
        },
        async () => assert.equal((await batch.revoke({ issuer_did, items })).total_succeeded, BATCH_ITEMS),
    ];
}
