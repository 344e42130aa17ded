import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { textArgument } from '../input.ts';
import { parseObject } from '../json-input.ts';
import { fieldsReport } from '../report.ts';
import { readPrivateKey } from '../secret.ts';
import type { World } from '../world.ts';

/** Options of commands that sign as an issuer. */
export const SIGNING_OPTIONS = {
    issuer: { value: 'DID', summary: 'DID of the issuer', required: true },
    'key-file': {
        value: 'FILE',
        summary:
            'File with the private key of the issuer, - for standard input; else CRED_ISSUER_KEY. A managed issuer needs none',
        file: true,
    },
    'status-list': { summary: 'Put the credential on a status list, so that it can be verified offline' },
} as const;

/** Options of commands that say what a credential contains. */
export const CONTENT_OPTIONS = {
    claims: {
        value: 'JSON',
        summary: 'Claims as a JSON object, or @FILE, or - for standard input',
        required: true,
    },
    expires: { value: 'DATE', summary: 'When the credential expires: a date, or a date and time with an offset' },
} as const;

/** The claims that `--claims` gives. Throws CliError if they are not a JSON object. */
export async function claimsOf(given: string, world: World): Promise<Record<string, unknown>> {
    return parseObject(await textArgument(given, '--claims', world), 'The value of --claims');
}

export const issue = command({
    name: 'issue',
    summary: 'Issue a credential',
    options: {
        ...SIGNING_OPTIONS,
        subject: { value: 'DID', summary: 'DID of the subject', required: true },
        type: { value: 'TEXT', summary: 'Type of the credential', required: true },
        ...CONTENT_OPTIONS,
        'sd-jwt': { summary: 'Issue an SD-JWT VC, which wallets of other makers hold' },
        holder: { value: 'DID_URL', summary: 'With --sd-jwt: the key of the holder, of a did:key or did:jwk' },
    },
    examples: [
        {
            line: `cred issue --issuer did:key:z6Mk… --key-file issuer.key --subject did:web:ada.example --type EmploymentCredential --claims '{"role":"engineer"}'`,
        },
        {
            line: 'cred issue --issuer did:key:z6Mk… --subject did:web:ada.example --type EmploymentCredential --claims @claims.json --expires 2030-01-01 --json',
            note: 'a managed issuer, or CRED_ISSUER_KEY',
        },
        {
            line: `cred issue --sd-jwt --issuer did:web:credentials.example:issuers:… --subject did:web:ada.example --type https://club.example/membership --claims '{"name":"Ada"}'`,
        },
    ],
    async run({ options, world, service }) {
        if (options['key-file'] === '-' && options.claims === '-') {
            throw new CliError('Standard input cannot be the private key and the claims. Give one of them as a file.');
        }
        const key = await readPrivateKey(world, { path: options['key-file'], variable: 'CRED_ISSUER_KEY' });
        const input = {
            issuer_did: options.issuer,
            ...(key !== undefined && { issuer_private_key: key }),
            subject_did: options.subject,
            credential_type: options.type,
            claims: await claimsOf(options.claims, world),
            ...(options.expires !== undefined && { expiration_date: options.expires }),
            ...(options['status-list'] && { status_list: true }),
            ...(options['sd-jwt'] && { format: 'dc+sd-jwt' }),
            ...(options.holder !== undefined && { holder_did_url: options.holder }),
        };
        const issued = await (await service()).credentials.issue(input);
        const { credential_id, issuer, subject, credential_type: type, issued_at, expires_at, credential } = issued;
        return fieldsReport(issued, { credential_id, issuer, subject, type, issued_at, expires_at, credential });
    },
});
