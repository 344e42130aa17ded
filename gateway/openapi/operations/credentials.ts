import type { OperationNotes } from '../operation.ts';
import { CREDENTIAL, CREDENTIAL_ID, HOLDER_DID, WEB_ISSUER_DID } from '../samples.ts';

const dates = { issued_at: '2026-11-20T21:07:22.961Z', expires_at: '2036-01-01T00:00:00.000Z' };
const credentialType = 'EmploymentCredential';
const claims = { role: 'engineer' };

/** How an issuer signs that the service does not manage. */
export const OWN_KEY =
    'The example has a managed issuer. An issuer that keeps its own key also sends `issuer_private_key`, which must belong to `issuer_did`.';

/** What a client sends of the sample credential, besides its issuer. */
export const sent = {
    subject_did: HOLDER_DID,
    credential_type: credentialType,
    claims,
    expiration_date: '2036-01-01',
};

/** The sample credential, as it is issued. */
export const issued = {
    credential_id: CREDENTIAL_ID,
    credential: CREDENTIAL,
    issuer: WEB_ISSUER_DID,
    subject: HOLDER_DID,
    credential_type: credentialType,
    ...dates,
};

/** The result of verifying the sample credential. */
export const verified = {
    valid: true,
    issuer: WEB_ISSUER_DID,
    subject: HOLDER_DID,
    credential_type: credentialType,
    claims,
    ...dates,
    revoked: false,
    expired: false,
};

const row = { credential_id: CREDENTIAL_ID, credential_type: credentialType, ...dates, revoked: false };
const params = { credential_id: CREDENTIAL_ID };
export const revocation = {
    credential_id: CREDENTIAL_ID,
    revoked: true,
    revoked_at: '2026-11-20T21:30:00.000Z',
    reason: 'left the company',
};
const LIST =
    'Lists the credentials of a DID, newest first: all of them if the account of the caller owns the DID, otherwise those that the caller issued.';

export const credentialOperations = {
    'credentials.issue': {
        summary: 'Issue a credential',
        description: `Signs a PASETO v4 public token. ${OWN_KEY} The claims are signed exactly as they were sent. The service stores neither them nor a private key that it was sent.`,
        refusals: { forbidden: 'The account has reached its quota of credentials.' },
        owasp: { objects: 'none', slowedBy: 'rate' },
        example: {
            body: { issuer_did: WEB_ISSUER_DID, ...sent },
            data: issued,
        },
    },
    'credentials.verify': {
        summary: 'Verify a credential',
        idempotent: true,
        description:
            'A completed check is answered with 200, whatever it finds: for an invalid credential `valid` is false and `error` says why. The credential is a v4.public token or an SD-JWT VC (`dc+sd-jwt`) without the signature of its holder; any other text is refused with 400.',
        owasp: { objects: 'none' },
        example: {
            body: { credential: CREDENTIAL, issuer_did: WEB_ISSUER_DID, check_revocation: true },
            data: verified,
        },
    },
    'credentials.revoke': {
        summary: 'Revoke a credential',
        idempotent: true,
        description: 'A revocation is permanent. A repeated call gets the same answer as the first call.',
        refusals: {
            forbidden: 'Another DID issued the credential, or the caller neither issued it nor owns `issuer_did`.',
            not_found: 'No credential with this id was issued here.',
        },
        owasp: { objects: 'own' },
        example: { params, body: { issuer_did: WEB_ISSUER_DID, reason: 'left the company' }, data: revocation },
    },
    'credentials.status': {
        summary: 'Get the revocation status of a credential',
        refusals: { not_found: 'No credential with this id was issued here.' },
        owasp: { objects: 'public' },
        example: { params, data: revocation },
    },
    'credentials.by_issuer': {
        summary: 'List credentials by issuer',
        description: LIST,
        owasp: { objects: 'own part' },
        example: {
            params: { issuer_did: WEB_ISSUER_DID },
            query: { limit: '100' },
            data: { credentials: [{ ...row, subject: HOLDER_DID }], total: 1 },
        },
    },
    'credentials.by_subject': {
        summary: 'List credentials by subject',
        description: LIST,
        owasp: { objects: 'own part' },
        example: {
            params: { subject_did: HOLDER_DID },
            query: { limit: '100' },
            data: { credentials: [{ ...row, issuer: WEB_ISSUER_DID }], total: 1 },
        },
    },
} satisfies Record<string, OperationNotes>;
