import type { OperationNotes } from '../operation.ts';
import {
    CREDENTIAL,
    CREDENTIAL_ID,
    WALLET_DID,
    WALLET_ID,
    WALLET_PASSWORD,
    WALLET_PRIVATE_KEY,
    WALLET_PUBLIC_KEY,
    WEB_ISSUER_DID,
} from '../samples.ts';

const createdAt = '2026-11-20T21:07:23.000Z';
const wallet = {
    wallet_id: WALLET_ID,
    name: 'private',
    did: WALLET_DID,
    public_key: WALLET_PUBLIC_KEY,
    created_at: createdAt,
};
const stored = {
    credential_id: CREDENTIAL_ID,
    credential_type: 'EmploymentCredential',
    issuer: WEB_ISSUER_DID,
    stored_at: '2026-11-20T21:07:23.092Z',
};
const metadata = { folder: 'work' };
const fields = { password: 'Password of the wallet: 1 to 1,024 bytes.' };
const refusals = {
    unauthenticated: 'The call is not authenticated, or the password is wrong.',
    not_found: 'The account has no wallet with this id.',
};

export const walletOperations = {
    'wallets.create': {
        refusals: { forbidden: 'The account has reached its quota of wallets.' },
        owasp: { objects: 'none', slowedBy: 'rate' },
        fields: { ...fields, description: 'Purpose of the wallet: at most 2,000 characters.' },
        example: {
            body: { name: 'private', password: WALLET_PASSWORD, description: 'diplomas' },
            data: wallet,
        },
    },
    'wallets.open': {
        refusals,
        owasp: { objects: 'own', presents: 'password' },
        fields,
        example: {
            body: { wallet_id: WALLET_ID, password: WALLET_PASSWORD },
            data: {
                ...wallet,
                private_key: WALLET_PRIVATE_KEY,
                credentials: [{ ...stored, credential: CREDENTIAL, metadata }],
            },
        },
    },
    'wallets.add_credential': {
        refusals: {
            ...refusals,
            forbidden: 'The account has reached its quota of credentials in wallets, or the quota of their bytes.',
        },
        owasp: { objects: 'own', presents: 'password' },
        fields,
        example: {
            params: { wallet_id: WALLET_ID },
            body: { password: WALLET_PASSWORD, credential: CREDENTIAL, metadata },
            data: { ...stored, wallet_id: WALLET_ID },
        },
    },
    'wallets.list_credentials': {
        refusals,
        owasp: { objects: 'own', presents: 'password' },
        fields,
        example: {
            params: { wallet_id: WALLET_ID },
            query: { limit: '100' },
            headers: { 'x-wallet-password': WALLET_PASSWORD },
            data: { credentials: [{ ...stored, metadata }], total: 1 },
        },
    },
    'wallets.delete_credential': {
        refusals: {
            ...refusals,
            not_found: 'The account has no wallet with this id, or the wallet has no credential with this id.',
        },
        owasp: { objects: 'own', presents: 'password' },
        fields: { ...fields, deleted_at: 'When it was deleted.' },
        example: {
            params: { wallet_id: WALLET_ID, credential_id: CREDENTIAL_ID },
            body: { password: WALLET_PASSWORD },
            data: { credential_id: CREDENTIAL_ID, deleted_at: '2026-11-20T21:30:00.000Z' },
        },
    },
} satisfies Record<string, OperationNotes>;
