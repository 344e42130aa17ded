// A program that issues, checks and revokes a credential:
//
//   API_KEY=… node client/examples/issue.ts
//
// Outside this repository, import from 'credential-service-client'.
import { ApiError, createClient } from '../src/client.ts';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY } = process.env;
const client = createClient({ base_url: BASE_URL, token: API_KEY });

// The service keeps the key of this issuer. With an own key: client.did.create(), and issuer_private_key below.
const issuer = await client.issuers.create({ name: 'Registrar', method: 'key' });
console.log(`made ${issuer.did}`);

const issued = await client.credentials.issue({
    issuer_did: issuer.did,
    subject_did: 'did:web:ada.example',
    credential_type: 'EmploymentCredential',
    claims: { role: 'engineer' },
});
console.log(`issued ${issued.credential_id}`);

async function check(): Promise<void> {
    const { credential, issuer: issuerDid } = issued;
    const { valid, error } = await client.credentials.verify({
        credential,
        issuer_did: issuerDid,
        check_revocation: true,
    });
    console.log(`valid: ${valid}${error === undefined ? '' : `, ${error}`}`);
}
await check();

// A refusal throws an ApiError with all details of the answer.
const somebody = await client.did.create();
try {
    await client.credentials.revoke({ credential_id: issued.credential_id, issuer_did: somebody.did });
} catch (error) {
    if (!(error instanceof ApiError)) throw error;
    console.log(`${error.status} ${error.code}: ${error.detail}`);
}

await client.credentials.revoke({ credential_id: issued.credential_id, issuer_did: issuer.did, reason: 'left' });
await check();

const { remaining, limit } = client.rate_limit ?? {};
console.log(`${remaining} of ${limit} calls left`);
