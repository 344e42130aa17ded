import type { HttpRequest } from '../load/requests.ts';
import { insertCredentials, insertDids } from '../rows.ts';
import { CREDENTIAL_TYPE, claimsOf, newCredential, newSigner, privateKeyOf, SUBJECT } from '../tokens.ts';
import { type BenchEnvironment, times, VALID, type Workload } from './job.ts';

/** What most issuers have, and what one answer holds. */
const LISTED_ROWS = 25;

export const credentialJobs: Workload[] = [
    {
        name: 'issue',
        expected: { status: 201 },
        parts: { limit: 1, sign: 1, credential_row: 1 },
        per_second: 8_000,
        requests: async (count, { world }) =>
            times(count, (index) => {
                const issuer = newSigner();
                const body = {
                    issuer_did: issuer.did,
                    issuer_private_key: privateKeyOf(issuer),
                    subject_did: SUBJECT,
                    credential_type: CREDENTIAL_TYPE,
                    claims: claimsOf(index),
                };
                return { method: 'POST', path: '/v1/credentials', token: world.accountOf(index).api_key, body };
            }),
    },
    {
        name: 'verify',
        expected: VALID,
        parts: { limit: 1, verify: 1 },
        per_second: 8_000,
        requests: async (count, { world }) =>
            times(count, (index) => verifyRequest(newCredential(index), world.accountOf(index).api_key)),
    },
    {
        name: 'verify-revocation',
        expected: VALID,
        parts: { limit: 1, verify: 1, find: 1 },
        per_second: 8_000,
        async requests(count, { world, db, credentialId }) {
            const credentials = times(count, (index) => newCredential(index, credentialId()));
            const accounts = times(count, world.accountOf);
            await insertCredentials(
                db,
                credentials.map((row, index) => ({ ...row, account: accounts[index]?.user_id ?? '' })),
            );
            return credentials.map((credential, index) =>
                verifyRequest(credential, world.accountOf(index).api_key, true),
            );
        },
    },
    /* The caller's right to the DID is found, then the page read. */
    {
        name: 'list',
        expected: { status: 200 },
        parts: { limit: 1, find: 1, page: 1 },
        per_second: 4_000,
        repeat: true,
        at_most: 4_000,
        requests: listRequests,
    },
];

function verifyRequest(
    { token: credential, issuer: issuer_did }: { token: string; issuer: string },
    token: string,
    check_revocation?: true,
): HttpRequest {
    const body = { credential, issuer_did, check_revocation };
    return { method: 'POST', path: '/v1/credentials/verify', token, body };
}

/** Each asks for the credentials of an issuer whose DID is the caller's own. */
async function listRequests(count: number, { world, db, credentialId }: BenchEnvironment): Promise<HttpRequest[]> {
    const issuers = times(count, (index) => ({ ...newSigner(), account: world.accountOf(index).user_id }));
    await insertDids(db, issuers);
    const issued_at = new Date().toISOString();
    // As they would have come: each issuer's rows are apart from each other.
    const rows = times(LISTED_ROWS, () => issuers).flatMap((all) =>
        all.map(({ did: issuer, account }) => ({ id: credentialId(), issuer, account, issued_at })),
    );
    await insertCredentials(db, rows);
    await db.query('ANALYZE credentials.credentials, did.dids');
    return issuers.map(({ did }, index) => ({
        method: 'GET',
        path: `/v1/credentials/by-issuer/${did}`,
        token: world.accountOf(index).api_key,
    }));
}
