import { randomUUID } from 'node:crypto';
import type { HttpRequest } from '../load/requests.ts';
import type { Expected } from '../load/tally.ts';
import { insertCredentials, insertDids } from '../rows.ts';
import { CREDENTIAL_TYPE, claimsOf, newCredential, newSigner, privateKeyOf, type Signer, SUBJECT } from '../tokens.ts';
import { type Issuer, issueRequest, newIssuers } from './issuers.ts';
import { type BenchEnvironment, times, VALID, type Workload } from './job.ts';

/** Number of credentials of each listed issuer. Most issuers have about as many, and one answer contains them all. */
const LISTED_ROWS = 25;
/** Number of items in each batch. */
const ITEMS = 100;
/** All items of a batch were issued, or verified. */
const ALL_ITEMS: Expected = { status: 200, text: `"total_succeeded":${ITEMS},"total_failed":0` };

export const credentialJobs: Workload[] = [
    {
        name: 'issue',
        expected: { status: 201 },
        parts: { limit: 1, sign: 1, credential_row: 1 },
        perSecond: 8_000,
        requests: async (count, { world }) => times(count, (index) => issueRequest(index, world, newSigner())),
    },
    // The same, but with the keys of 64 issuers, which the signing threads remember.
    {
        name: 'issue-known-key',
        expected: { status: 201 },
        parts: { limit: 1, sign: 1, credential_row: 1 },
        perSecond: 8_000,
        async requests(count, { world }) {
            const signers = world.accounts.map(() => newSigner());
            return times(count, (index) => issueRequest(index, world, signers[index % signers.length] as Signer));
        },
    },
    // The same, but with managed issuers: no request has a private key. The floor has no part for the signing service.
    ...(['key', 'web'] as const).map(
        (method): Workload => ({
            name: `issue-managed-${method}`,
            expected: { status: 201 },
            parts: { limit: 1, sign: 1, credential_row: 1 },
            perSecond: 8_000,
            async requests(count, { world }) {
                const issuers = await newIssuers(world, method);
                return times(count, (index) => issueRequest(index, world, issuers[index % issuers.length] as Issuer));
            },
        }),
    ),
    // Each request has a key of its own, as the client of this repository sends it. The floor has no part for the claim.
    {
        name: 'issue-idempotent',
        expected: { status: 201 },
        parts: { limit: 1, sign: 1, credential_row: 1 },
        perSecond: 8_000,
        requests: async (count, { world }) =>
            times(count, (index) => ({ ...issueRequest(index, world, newSigner()), idempotencyKey: randomUUID() })),
    },
    {
        name: 'verify',
        expected: VALID,
        parts: { limit: 1, verify: 1 },
        perSecond: 8_000,
        requests: async (count, { world }) =>
            times(count, (index) => verifyRequest(newCredential(index), world.accountOf(index).api_key)),
    },
    {
        name: 'verify-revocation',
        expected: VALID,
        parts: { limit: 1, verify: 1, find: 1 },
        perSecond: 8_000,
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
    {
        name: 'batch-issue',
        expected: ALL_ITEMS,
        // The limiter counts the first item, then all others together.
        parts: { limit: 2, sign: ITEMS, credential_row: ITEMS },
        items: ITEMS,
        perSecond: 200,
        requests: async (count, { world }) =>
            times(count, (index) => issueBatch(index, ITEMS, world.accountOf(index).api_key)),
    },
    {
        name: 'batch-verify',
        expected: ALL_ITEMS,
        parts: { limit: 2, verify: ITEMS },
        items: ITEMS,
        perSecond: 200,
        requests: async (count, { world }) =>
            times(count, (index) => {
                const items = times(ITEMS, (item) => {
                    const { token: credential, issuer: issuerDid } = newCredential(index * ITEMS + item);
                    return { credential, issuer_did: issuerDid };
                });
                return batchRequest('verify', world.accountOf(index).api_key, { items });
            }),
    },
    // The service checks that the caller owns the DID, and then reads the page.
    {
        name: 'list',
        expected: { status: 200 },
        parts: { limit: 1, find: 1, page: 1 },
        perSecond: 4_000,
        repeat: true,
        atMost: 4_000,
        requests: listRequests,
    },
];

function verifyRequest(
    { token: credential, issuer: issuerDid }: { token: string; issuer: string },
    token: string,
    checkRevocation?: true,
): HttpRequest {
    const body = { credential, issuer_did: issuerDid, check_revocation: checkRevocation };
    return { method: 'POST', path: '/v1/credentials/verify', token, body };
}

/** A batch that issues `count` credentials. Its claims differ from those of other indexes. */
export function issueBatch(index: number, count: number, token: string): HttpRequest {
    const issuer = newSigner();
    const items = times(count, (item) => ({
        subject_did: SUBJECT,
        credential_type: CREDENTIAL_TYPE,
        claims: claimsOf(index * count + item),
    }));
    const body = { issuer_did: issuer.did, issuer_private_key: privateKeyOf(issuer), items };
    return batchRequest('issue', token, body);
}

function batchRequest(method: 'issue' | 'verify', token: string, body: object): HttpRequest {
    return { method: 'POST', path: `/v1/credentials/batch/${method}`, token, body };
}

/** Returns requests that list the credentials of an issuer. The DID of the issuer belongs to the caller. */
async function listRequests(count: number, { world, db, credentialId }: BenchEnvironment): Promise<HttpRequest[]> {
    const issuers = times(count, (index) => ({ ...newSigner(), account: world.accountOf(index).user_id }));
    await insertDids(db, issuers);
    const issuedAt = new Date().toISOString();
    // In the order in which they would be issued, so that the rows of one issuer are apart from each other.
    const rows = times(LISTED_ROWS, () => issuers).flatMap((all) =>
        all.map(({ did: issuer, account }) => ({ id: credentialId(), issuer, account, issued_at: issuedAt })),
    );
    await insertCredentials(db, rows);
    await db.query('ANALYZE credentials.credentials, did.dids');
    return issuers.map(({ did }, index) => ({
        method: 'GET',
        path: `/v1/credentials/by-issuer/${did}`,
        token: world.accountOf(index).api_key,
    }));
}
