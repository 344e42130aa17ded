// A trusted server that acts for an account, and reads a list page by page:
//
//   INTERNAL_SECRET=$(cat .data/internal-secret) node client/examples/on-behalf-of.ts
//
// Outside this repository, import from 'credential-service-client'.
import { createClient } from '../src/client.ts';

const { BASE_URL = 'http://127.0.0.1:8080', INTERNAL_SECRET } = process.env;
const trusted = createClient({ base_url: BASE_URL, internal_secret: INTERNAL_SECRET });

const person = { email: `grace-${Date.now()}@example.com`, password: 'a long pass phrase' };
const { user_id } = await trusted.internal.auth.register(person);
console.log(`registered ${user_id}`);

// The objects that this client creates belong to the account.
const { did: api, credentials } = trusted.as({ on_behalf_of: user_id }).internal;
const { did, private_key = '' } = await api.create();
const types = ['EmploymentCredential', 'EducationCredential', 'MembershipCredential'];
for (const credentialType of types) {
    const issuer = { issuer_did: did, issuer_private_key: private_key };
    await credentials.issue({
        ...issuer,
        subject_did: 'did:web:ada.example',
        credential_type: credentialType,
        claims: {},
    });
}

const { token } = await trusted.internal.auth.login(person);
const grace = trusted.as({ token });
for await (const page of grace.credentials.byIssuer.pages({ issuer_did: did, limit: 2 })) {
    console.log(`${page.credentials.map((row) => row.credential_type).join(', ')} of ${page.total}`);
}
