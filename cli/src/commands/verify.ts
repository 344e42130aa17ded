import { ApiError, type Client } from '../../../client/src/client.ts';
import { type CredentialResult, type DidDocument, verifyCredential } from '../../../verify/src/verify.ts';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { readText, textArgument } from '../input.ts';
import { parseObject } from '../json-input.ts';
import type { Report } from '../report.ts';
import { payloadOf, withSignedClaims } from '../signed.ts';
import { fieldLines } from '../terminal/text.ts';

/** Options of commands that verify. */
export const VERIFYING_OPTIONS = {
    revocation: { summary: 'Ask the service whether it has been revoked' },
    offline: { summary: 'Verify on this machine, without the service' },
    list: {
        value: 'FILE',
        summary: 'With --offline: a status list that you have',
        repeatable: true,
        file: true,
    },
    'did-document': {
        value: 'FILE',
        summary: 'With --offline: the DID document of a did:web issuer or holder, as JSON',
        repeatable: true,
        file: true,
    },
    'fetch-status': {
        summary: 'With --offline: fetch the status list that the credential names, if its address is public',
    },
} as const;

interface VerifyingOptions {
    revocation: boolean;
    offline: boolean;
    list: string[];
    'fetch-status': boolean;
    'did-document': string[];
}

/** The options of the offline verifier. Throws CliError if options do not fit together. */
export function offlineOptions(options: VerifyingOptions) {
    const { revocation, offline, list: lists, 'fetch-status': fetches, 'did-document': paths } = options;
    if (!offline && (lists.length > 0 || fetches || paths.length > 0)) {
        throw new CliError('--list, --fetch-status and --did-document need --offline. The service knows all of it.');
    }
    if (offline && revocation) {
        throw new CliError('--revocation asks the service. With --offline, use --list or --fetch-status.');
    }
    if (lists.length > 0 && fetches) throw new CliError('Give --list or --fetch-status, not both.');
    const status = fetches ? ('fetch' as const) : lists.map((path) => readText(path));
    return { status, documents: paths.map((path) => documentIn(path)) };
}

/** The DID document in a file, as the address of a did:web answers it. */
function documentIn(path: string): DidDocument {
    return parseObject(readText(path), path) as unknown as DidDocument; // the verifier checks what it reads
}

/** Reports a verdict of the service or of the offline verifier. */
export function verdictReport(result: { valid: boolean; error?: string | undefined }, fields: object): Report {
    const text = result.valid ? 'valid' : `NOT valid: ${result.error ?? 'no reason is given'}`;
    return { data: result, good: result.valid, lines: [text, ...fieldLines({ ...fields })] };
}

/** The service answers 400 if what should be verified is malformed. For the caller that is not valid, too. */
export async function orMalformed<Result>(call: Promise<Result>): Promise<Result | { valid: false; error: string }> {
    try {
        return await call;
    } catch (error) {
        if (error instanceof ApiError && error.status === 400) return { valid: false, error: error.detail };
        throw error;
    }
}

async function askService(
    client: Client,
    credential: string,
    { issuer, revocation }: { issuer?: string | undefined; revocation: boolean },
) {
    const named = issuer ?? payloadOf(credential)['iss'];
    if (typeof named !== 'string') return { valid: false, error: 'The token names no issuer.' };
    return orMalformed(client.credentials.verify({ credential, issuer_did: named, check_revocation: revocation }));
}

export const verify = command({
    name: 'verify',
    summary: 'Verify a credential',
    details:
        'Exits with 0 if it is valid and with 1 if it is not. Without --issuer, the issuer that the credential names is taken: then look at it, because anybody can be an issuer.',
    positionals: { token: { summary: 'The credential, or @FILE, or - for standard input' } },
    options: { issuer: { value: 'DID', summary: 'DID of the issuer that you expect' }, ...VERIFYING_OPTIONS },
    examples: [
        { line: 'cred verify @credential.txt --issuer did:key:z6Mk… --revocation' },
        { line: 'cred verify - --offline --list list.jwt < credential.txt' },
    ],
    async run({ args, options, world, service }) {
        const offline = offlineOptions(options);
        const token = await textArgument(args.token, 'a credential', world);
        const { issuer, revocation } = options;
        const verdict: Partial<CredentialResult> & { valid: boolean } = options.offline
            ? await verifyCredential(token, { issuer, ...offline })
            : await askService(await service(), token, { issuer, revocation });
        const result = withSignedClaims(verdict, token);
        const { issuer: signer, subject, credential_type: type, issued_at, expires_at, as_of } = result;
        const { claims, disclosed } = result;
        // A valid signature says nothing about revocation, and people may think that it does.
        const status =
            result.status ?? (result.valid && !revocation ? 'nobody asked whether it is revoked' : undefined);
        const shown = { issuer: signer, subject, type, issued_at, expires_at, status, as_of, claims, disclosed };
        return verdictReport(result, shown);
    },
});
