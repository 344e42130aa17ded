import type { OperationNotes } from '../operation.ts';
import { CREDENTIAL, CREDENTIAL_ID, HOLDER_DID, WEB_ISSUER_DID } from '../samples.ts';

const dates = { issued_at: '2026-11-20T21:07:22.961Z', expires_at: '2036-01-01T00:00:00.000Z' };
const credentialType = 'EmploymentCredential';
const claims = { role: 'engineer' };

/** How an issuer signs that the service does not manage. */

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

export const credentialOperations = {
    'credentials.issue': {
        refusals: { forbidden: 'The account has reached its quota of credentials.' },
        owasp: { objects: 'none', slowedBy: 'rate' },
        example: {
            body: { issuer_did: WEB_ISSUER_DID, ...sent },
            data: issued,
        },
    },
    'credentials.verify': {
        owasp: { objects: 'none' },
        example: {
            body: { credential: CREDENTIAL, issuer_did: WEB_ISSUER_DID, check_revocation: true },
            data: verified,
        },
    },
    'credentials.revoke': {
        refusals: {
            forbidden: 'Another DID issued the credential, or the caller neither issued it nor owns `issuer_did`.',
            not_found: 'No credential with this id was issued here.',
        },
        owasp: { objects: 'own' },
        example: { params, body: { issuer_did: WEB_ISSUER_DID, reason: 'left the company' }, data: revocation },
    },
    'credentials.status': {
        refusals: { not_found: 'No credential with this id was issued here.' },
        owasp: { objects: 'public' },
        example: { params, data: revocation },
    },
    'credentials.by_issuer': {
        owasp: { objects: 'own part' },
        example: {
            params: { issuer_did: WEB_ISSUER_DID },
            query: { limit: '100' },
            data: { credentials: [{ ...row, subject: HOLDER_DID }], total: 1 },
        },
    },
    'credentials.by_subject': {
        owasp: { objects: 'own part' },
        example: {
            params: { subject_did: HOLDER_DID },
            query: { limit: '100' },
            data: { credentials: [{ ...row, issuer: WEB_ISSUER_DID }], total: 1 },
        },
    },
} satisfies Record<string, OperationNotes>;
