import type { OperationNotes } from '../operation.ts';
import { ISSUER_DID, ISSUER_ID, ISSUER_PUBLIC_KEY, NEXT_KID, NEXT_PUBLIC_KEY, WEB_ISSUER_DID } from '../samples.ts';
import { DID_CONTEXTS } from './dids.ts';

const kid = ISSUER_DID.slice('did:key:'.length);
const createdAt = '2026-11-20T21:07:22.940Z';
const rotatedAt = '2026-11-21T09:00:00.000Z';
const params = { issuer_id: ISSUER_ID };
const shown = { issuer_id: ISSUER_ID, did: WEB_ISSUER_DID, method: 'web', name: 'Registrar', created_at: createdAt };
const first = { kid, alg: 'EdDSA', public_key: ISSUER_PUBLIC_KEY, state: 'active', created_at: createdAt };
const retired = { ...first, state: 'retired', retired_at: rotatedAt };
const compromised = { ...retired, state: 'compromised', compromised_at: '2026-11-22T08:00:00.000Z', reason: 'leaked' };
const second = { kid: NEXT_KID, alg: 'EdDSA', public_key: NEXT_PUBLIC_KEY, state: 'active', created_at: rotatedAt };
const documentOf = (...kids: string[]) => {
    const ids = kids.map((one) => `${WEB_ISSUER_DID}#${one}`);
    return {
        '@context': DID_CONTEXTS,
        id: WEB_ISSUER_DID,
        verificationMethod: kids.map((one) => ({
            id: `${WEB_ISSUER_DID}#${one}`,
            type: 'Ed25519VerificationKey2020',
            controller: WEB_ISSUER_DID,
            publicKeyMultibase: one,
        })),
        authentication: ids,
        assertionMethod: ids,
    };
};
const refusals = { not_found: 'The account has no issuer with this id.' };

export const issuerOperations = {
    'issuers.create': {
        refusals: { forbidden: 'The account has reached its quota of issuers.' },
        owasp: { objects: 'none', slowedBy: 'rate' },
        example: {
            body: { name: 'Registrar', method: 'web' },
            data: { ...shown, kid, alg: 'EdDSA', public_key: ISSUER_PUBLIC_KEY },
        },
    },
    'issuers.list': {
        owasp: { objects: 'own' },
        fields: { issuers: 'Issuers, newest first.' },
        example: { query: { limit: '100' }, data: { issuers: [{ ...shown, keys: [first] }], total: 1 } },
    },
    'issuers.get': {
        refusals,
        owasp: { objects: 'own' },
        example: { params, data: { ...shown, keys: [second, retired] } },
    },
    'issuers.rotate': {
        refusals: {
            ...refusals,
            conflict: 'The issuer is a did:key, which is its key; or it is archived, or has 100 keys.',
        },
        owasp: { objects: 'own', slowedBy: 'rate' },
        fields: { previous: 'The key that was active before for this algorithm. Absent if there was none.' },
        example: {
            params,
            body: {},
            data: { kid: NEXT_KID, alg: 'EdDSA', public_key: NEXT_PUBLIC_KEY, created_at: rotatedAt, previous: kid },
        },
    },
    'issuers.mark_compromised': {
        refusals: {
            not_found: 'The account has no issuer with this id, or the issuer has no such key.',
            conflict:
                'The issuer is a did:key: verifiers could not learn of it. Archive it and revoke its credentials.',
        },
        owasp: { objects: 'own' },
        fields: { reason: 'Why the key is compromised: at most 2,000 characters.' },
        example: { params: { ...params, kid }, body: { reason: 'leaked' }, data: compromised },
    },
    'issuers.archive': {
        refusals,
        owasp: { objects: 'own' },
        example: { params, data: { ...shown, archived_at: rotatedAt, keys: [first] } },
    },
    'issuers.document': {
        refusals: { not_found: 'There is no did:web issuer with this id.' },
        owasp: { objects: 'public' },
        example: { params, data: documentOf(NEXT_KID, kid) },
    },
} satisfies Record<string, OperationNotes>;
