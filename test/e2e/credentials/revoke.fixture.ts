import assert from 'node:assert/strict';
import { type Call, expectOk } from '../support/client.ts';
import { type Issued, issue, newAccount, newDid, newKey } from '../support/world.ts';

export const UNKNOWN_ID = 'urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057';

/** Creates an account with an API key and the DID of an issuer. Returns them with functions that use them. */
export async function revoking() {
    const account = await newAccount();
    const { api_key: token } = await newKey(account);
    const issuer = await newDid(token);

    function revokeCall(id: string, body: unknown, more: Partial<Call> = {}): Call {
        return { method: 'POST', path: `/v1/credentials/revoke/${encodeURIComponent(id)}`, token, body, ...more };
    }

    function statusCall(id: string, more: Partial<Call> = {}): Call {
        return { path: `/v1/credentials/status/${encodeURIComponent(id)}`, token, ...more };
    }

    function newCredential(): Promise<Issued> {
        return issue(token, issuer);
    }

    async function expectNotRevoked({ credential_id }: Issued): Promise<void> {
        assert.deepEqual(await expectOk(200, statusCall(credential_id)), { credential_id, revoked: false });
    }

    return { account, token, issuer, revokeCall, statusCall, newCredential, expectNotRevoked };
}
