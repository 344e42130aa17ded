/** The business metrics of each service, by method; `counting` records them. */

const CHECKED = {
    outcomes: ['valid', 'revoked', 'expired', 'invalid'],
    of: ({ valid, revoked, expired }: { valid: boolean; revoked: boolean; expired: boolean }) =>
        valid ? 'valid' : revoked ? 'revoked' : expired ? 'expired' : 'invalid',
};

/** Outcomes of an attempt with a password, besides success. */
const GUESSES = { unauthenticated: 'wrong_password', rate_limited: 'too_many_guesses' } as const;

export const IDENTITY_CALLS = {
    register: { name: 'accounts_registered_total', help: 'Accounts made, but for those made in batches.' },
    login: { name: 'logins_total', help: 'Attempts to log in, by outcome.', refusals: GUESSES },
};

export const KEYS_CALLS = {
    generate: { name: 'api_keys_generated_total', help: 'API keys made.' },
    revoke: { name: 'api_keys_revoked_total', help: 'API keys revoked, again included.' },
};

export const DID_CALLS = {
    create: { name: 'dids_created_total', help: 'DIDs made or registered, but for those of wallets.' },
};

export const CREDENTIALS_CALLS = {
    issue: { name: 'credentials_issued_total', help: 'Credentials issued.' },
    verify: {
        name: 'credentials_verified_total',
        help: 'Credentials checked by themselves, by outcome.',
        answers: CHECKED,
    },
    revoke: { name: 'credentials_revoked_total', help: 'Credentials revoked, again included.' },
};

export const PRESENTATIONS_CALLS = {
    create: { name: 'presentations_created_total', help: 'Presentations made.' },
    verify: {
        name: 'presentations_verified_total',
        help: 'Presentations checked, by outcome.',
        answers: {
            outcomes: ['valid', 'invalid'],
            of: ({ valid }: { valid: boolean }) => (valid ? 'valid' : 'invalid'),
        },
    },
};

export const WALLET_CALLS = {
    create: { name: 'wallets_created_total', help: 'Wallets made.' },
    open: { name: 'wallets_opened_total', help: 'Attempts to open a wallet, by outcome.', refusals: GUESSES },
};
