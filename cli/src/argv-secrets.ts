import { CliError } from './errors.ts';

/** Options that people expect to take a secret, and how the secret is given instead. */
const INSTEAD: ReadonlyArray<{ names: readonly string[]; how: string }> = [
    { names: ['password', 'pass', 'passwd'], how: 'Give it at the prompt, on standard input, or in CRED_PASSWORD.' },
    {
        names: ['wallet-password'],
        how: 'Give it at the prompt, on standard input, or in CRED_WALLET_PASSWORD.',
    },
    {
        names: ['private-key', 'issuer-key', 'issuer-private-key', 'holder-key', 'holder-private-key', 'secret-key'],
        how: 'Give the path of a file with --key-file, or set CRED_ISSUER_KEY or CRED_HOLDER_KEY.',
    },
    {
        names: ['token', 'api-key', 'apikey', 'bearer', 'session'],
        how: 'Store it with "cred login --key", which reads it from standard input, or set CRED_TOKEN.',
    },
    {
        names: ['secret', 'internal-secret'],
        how: 'Set CRED_INTERNAL_SECRET, or give the path of a file with --secret-file.',
    },
];

/** The form of an API key, of a session token, and of a private key (32 or 64 bytes in base64). */
const SECRET_VALUE =
    /^[a-z0-9]+_(live|test)_[0-9A-Za-z]{32}$|^eyJ[\w-]+\.[\w-]+\.[\w-]+$|^([\w+/-]{43}=|[\w+/-]{86}==)$/;

/**
 * Refuses a secret on the command line: every user of the machine can see it there (`ps`), and the shell keeps it. The
 * message never repeats it.
 */
export function refuseSecrets(args: readonly string[]): void {
    for (const arg of args) {
        if (arg === '--') return;
        const name = /^--?([a-z-]+)/.exec(arg)?.[1];
        const refused = INSTEAD.find(({ names }) => name !== undefined && names.includes(name));
        if (refused)
            throw new CliError(`--${name} does not exist, because others can see secrets there. ${refused.how}`);
        if (SECRET_VALUE.test(arg.replace(/^--?[\w-]+=/, ''))) {
            throw new CliError(
                'A secret stands on the command line, where others can see it. Give it on standard input, in a file or in the environment.',
            );
        }
    }
}
