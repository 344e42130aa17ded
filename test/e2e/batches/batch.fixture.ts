import { issuing, SUBJECT } from '../credentials/issue.fixture.ts';
import { type Call, expectOk } from '../support/client.ts';

export const ITEM = { subject_did: SUBJECT, credential_type: 'EmploymentCredential', claims: { role: 'engineer' } };

/** Creates an API key and the DID of an issuer. Returns them with functions that make batches with them. */
export async function batching() {
    const { token, issuer } = await issuing();
    const keyPair = { issuer_did: issuer.did, issuer_private_key: issuer.private_key };

    function batch(method: string, body: unknown, more: Partial<Call> = {}): Call {
        return { method: 'POST', path: `/v1/credentials/batch/${method}`, token, body, ...more };
    }
    const issue = (items: unknown[]) => expectOk(200, batch('issue', { ...keyPair, items }));

    /** Issues this many credentials and returns the results. */
    async function issued(count: number): Promise<Array<{ credential_id: string; credential: string }>> {
        const { results } = await issue(Array(count).fill(ITEM));
        return results;
    }
    return { token, issuer, keyPair, batch, issue, issued };
}
