import type { OperationNotes } from '../operation.ts';
import { CREDENTIAL, CREDENTIAL_ID, WEB_ISSUER_DID } from '../samples.ts';
import { issued, revocation, sent, verified } from './credentials.ts';

const ITEM_ERROR = 'Why the item failed.';
const missing = { index: 1, ok: false, code: 'not_found', error: 'This credential does not exist.' };
const oneOfTwo = { total_succeeded: 1, total_failed: 1 };
const unknownId = 'urn:uuid:01932b3f-5a7c-7d11-9c2e-8f4b6a1d0e35';

export const credentialBatchOperations = {
    'credentials.batch.issue': {
        refusals: {
            rate_limited:
                'The items exceed what is left of the rate limit, or too many batches of the account wait. No item was done.',
        },
        owasp: { objects: 'none', slowedBy: 'rate' },
        fields: {
            error: ITEM_ERROR,
            issuer_did:
                'DID of the issuer: a did:key, or a did:web of this service. An item need not repeat it, and may name no other.',
        },
        example: {
            body: {
                issuer_did: WEB_ISSUER_DID,
                items: [sent, { ...sent, subject_did: 'nobody' }],
            },
            data: {
                results: [
                    { index: 0, ok: true, ...issued },
                    { index: 1, ok: false, code: 'invalid', error: 'subject_did is not a DID.' },
                ],
                ...oneOfTwo,
            },
        },
    },
    'credentials.batch.verify': {
        refusals: {
            rate_limited:
                'The items exceed what is left of the rate limit, or too many batches of the account wait. No item was done.',
        },
        owasp: { objects: 'none' },
        fields: {
            error: 'Why the credential is invalid, or why the item failed.',
            issuer_did:
                'DID of the issuer: a did:key, or a did:web of this service. Default: the issuer that the credential names.',
            check_revocation:
                'Whether to check for revocation too. The value beside `items` applies to all items without their own. Default: false.',
        },
        example: {
            body: {
                items: [{ credential: CREDENTIAL, issuer_did: WEB_ISSUER_DID }, { credential: 'no token' }],
                check_revocation: true,
            },
            data: {
                results: [
                    { index: 0, ok: true, ...verified },
                    {
                        index: 1,
                        ok: false,
                        code: 'invalid',
                        error: 'credential is neither a v4.public token nor an SD-JWT.',
                    },
                ],
                ...oneOfTwo,
            },
        },
    },
    'credentials.batch.revoke': {
        refusals: {
            rate_limited:
                'The items exceed what is left of the rate limit, or too many batches of the account wait. No item was done.',
        },
        owasp: { objects: 'own' },
        fields: {
            error: ITEM_ERROR,
            reason: 'Why it was revoked. The value beside `items` applies to all items without their own.',
        },
        example: {
            body: {
                issuer_did: WEB_ISSUER_DID,
                reason: 'left the company',
                items: [{ credential_id: CREDENTIAL_ID }, { credential_id: unknownId }],
            },
            data: { results: [{ index: 0, ok: true, ...revocation }, missing], ...oneOfTwo },
        },
    },
    'credentials.batch.status': {
        refusals: {
            rate_limited:
                'The items exceed what is left of the rate limit, or too many batches of the account wait. No item was done.',
        },
        owasp: { objects: 'public' },
        fields: { error: ITEM_ERROR, credential_ids: 'Ids of credentials: 1 to 1,000.' },
        example: {
            body: { credential_ids: [CREDENTIAL_ID, unknownId] },
            data: { results: [{ index: 0, ok: true, ...revocation }, missing], ...oneOfTwo },
        },
    },
} satisfies Record<string, OperationNotes>;
