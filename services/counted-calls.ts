import { CHECK_CODES } from '../proto/check-codes.ts';

/** The business metrics of each service, by method; `counting` records them. */

interface Checked {
    valid: boolean;
    revoked: boolean;
    expired: boolean;
}

const CHECKED = {
    outcomes: ['valid', 'revoked', 'expired', 'invalid'],
    of: ({ valid, revoked, expired }: Checked) =>
        valid ? 'valid' : revoked ? 'revoked' : expired ? 'expired' : 'invalid',
};

/** The items of a batch that succeeded, without replays. `credential_batch_items_total` counts those that failed. */
const DONE_ITEMS = {
    outcomes: ['ok'],
    of: ({ results }: { results: ReadonlyArray<{ value?: unknown }> }, replayed: number) =>
        results.flatMap(({ value }) => (value === undefined ? [] : 'ok')).slice(replayed),
};

/** Outcomes of an attempt with a password, besides success. */
const GUESSES = { unauthenticated: 'wrong_password', rate_limited: 'too_many_guesses' } as const;

export const IDENTITY_CALLS = {
    register: { name: 'accounts_registered_total', help: 'Accounts registered, without those created in batches.' },
    login: { name: 'logins_total', help: 'Attempts to log in, by outcome.', refusals: GUESSES },
};

export const KEYS_CALLS = {
    generate: { name: 'api_keys_generated_total', help: 'API keys generated.' },
    revoke: { name: 'api_keys_revoked_total', help: 'API keys revoked, including repeated revocations.' },
    rotate: { name: 'api_keys_rotated_total', help: 'API keys replaced by new ones.' },
    check: {
        name: 'api_keys_checked_total',
        help: 'Checks of API keys for other services, by outcome.',
        answers: {
            outcomes: CHECK_CODES,
            of: ({ code }: { code: string }) => code,
        },
    },
};

export const DID_CALLS = {
    create: { name: 'dids_created_total', help: 'DIDs generated or registered, without those of wallets.' },
};

const ISSUED = { name: 'credentials_issued_total', help: 'Credentials issued.' };
const VERIFIED = {
    name: 'credentials_verified_total',
    help: 'Credentials verified outside of presentations, by outcome.',
};
const REVOKED = { name: 'credentials_revoked_total', help: 'Credentials revoked, including repeated revocations.' };

export const CREDENTIALS_CALLS = {
    issue: ISSUED,
    issueMany: { ...ISSUED, answers: DONE_ITEMS },
    verify: { ...VERIFIED, answers: CHECKED },
    verifyMany: {
        ...VERIFIED,
        answers: {
            outcomes: CHECKED.outcomes,
            of: ({ item_results }: { item_results: ReadonlyArray<{ value?: Checked | undefined }> }) =>
                item_results.flatMap(({ value }) => (value === undefined ? [] : CHECKED.of(value))),
        },
    },
    revoke: REVOKED,
    revokeMany: { ...REVOKED, answers: DONE_ITEMS },
};

export const PRESENTATIONS_CALLS = {
    create: { name: 'presentations_created_total', help: 'Presentations created.' },
    verify: {
        name: 'presentations_verified_total',
        help: 'Presentations verified, by outcome.',
        answers: {
            outcomes: ['valid', 'invalid'],
            of: ({ valid }: { valid: boolean }) => (valid ? 'valid' : 'invalid'),
        },
    },
};

export const WALLET_CALLS = {
    create: { name: 'wallets_created_total', help: 'Wallets created.' },
    open: { name: 'wallets_opened_total', help: 'Attempts to open a wallet, by outcome.', refusals: GUESSES },
};

export const SIGNING_CALLS = {
    createIssuer: { name: 'issuers_created_total', help: 'Managed issuers created.' },
    rotateKey: { name: 'issuer_keys_rotated_total', help: 'Keys of managed issuers replaced by new ones.' },
    markCompromised: {
        name: 'issuer_keys_compromised_total',
        help: 'Keys of managed issuers marked as compromised, including repeated calls.',
    },
    sign: { name: 'issuer_signatures_total', help: 'Tokens signed with the keys of managed issuers.' },
};
