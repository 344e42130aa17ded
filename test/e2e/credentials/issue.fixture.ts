import type { Call } from '../support/client.ts';
import { aKey, issueBody, newDid } from '../support/world.ts';

export const SUBJECT = 'did:web:subject.example';

/** Creates an API key and the DID of an issuer. Returns them with a function that makes calls to issue with them. */
export async function issuing() {
    const token = await aKey();
    const issuer = await newDid(token);
    function issueCall(more: Record<string, unknown> = {}, subject = SUBJECT): Call {
        return { method: 'POST', path: '/v1/credentials', token, body: issueBody(issuer, subject, more) };
    }
    return { token, issuer, issueCall };
}
