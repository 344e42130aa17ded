import type { OperationNotes } from '../operation.ts';
import { CREDENTIAL, CREDENTIAL_ID, WEB_ISSUER_DID } from '../samples.ts';
import { issued, OWN_KEY, revocation, sent, verified } from './credentials.ts';

const LIMIT =
    'Each item counts as a request: a batch within the rate limit is done, any other is refused with 429 before its first item. A batch of more items than the whole limit is refused with 400. One batch of an account is worked on at a time; of further ones up to 64 wait, for 10 s at most.';
const EACH =
    'The answer is 200 and has a result for each item, in the order in which they were sent. One bad item does not affect the others. Items without time left have the code `deadline` after 28 s.';

const ITEM_ERROR = 'Why the item failed.';
const missing = { index: 1, ok: false, code: 'not_found', error: 'This credential does not exist.' };
const oneOfTwo = { total_succeeded: 1, total_failed: 1 };
const unknownId = 'urn:uuid:01932b3f-5a7c-7d11-9c2e-8f4b6a1d0e35';

export const credentialBatchOperations = {
    'credentials.batch.issue': {
        summary: 'Issue up to 1,000 credentials',
        description: `Issues credentials of one issuer, as single calls would. ${OWN_KEY} ${EACH} ${LIMIT} A batch that is repeated with its \`Idempotency-Key\` returns the credentials that were issued, and issues the missing ones.`,
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
        summary: 'Verify up to 1,000 credentials',
        idempotent: true,
        description: `Checks credentials, as single calls would. \`ok\` says that an item was checked, and \`valid\` what the check found. ${EACH} ${LIMIT}`,
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
        summary: 'Revoke up to 1,000 credentials',
        idempotent: true,
        description: `Revokes credentials of one issuer, as single calls would. Each item with the same id is answered with the first revocation. ${EACH} ${LIMIT}`,
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
        summary: 'Get the revocation status of up to 1,000 credentials',
        idempotent: true,
        description: `${EACH} ${LIMIT}`,
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
