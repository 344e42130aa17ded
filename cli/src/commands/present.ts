import { type PresentationResult, verifyPresentation as verifyOffline } from '../../../verify/src/verify.ts';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { textArgument } from '../input.ts';
import { fieldsReport } from '../report.ts';
import { readPrivateKey } from '../secret.ts';
import { payloadOf, withSignedClaims } from '../signed.ts';
import { offlineOptions, orMalformed, VERIFYING_OPTIONS, verdictReport } from './verify.ts';

export const present = command({
    name: 'present',
    summary: 'Create a presentation of credentials for one verifier',
    options: {
        holder: { value: 'DID', summary: 'DID of the holder', required: true },
        'key-file': {
            value: 'FILE',
            summary: 'File with the private key of the holder; else CRED_HOLDER_KEY. A managed DID needs none',
            file: true,
        },
        credential: {
            value: 'TOKEN',
            summary: 'A credential, or @FILE, or - for standard input',
            required: true,
            repeatable: true,
        },
        audience: { value: 'DID', summary: 'DID of the verifier', required: true },
        nonce: { value: 'TEXT', summary: 'The challenge of the verifier' },
        domain: { value: 'TEXT', summary: 'Domain that the presentation is bound to' },
    },
    examples: [
        {
            line: 'cred present --holder did:key:z6Mk… --key-file holder.key --credential @credential.txt --audience did:web:verifier.example --nonce n-5d1f',
        },
    ],
    async run({ options, world, service }) {
        const key = await readPrivateKey(world, { path: options['key-file'], variable: 'CRED_HOLDER_KEY' });
        const credentials: string[] = [];
        for (const given of options.credential) credentials.push(await textArgument(given, 'a credential', world));
        const input = {
            holder_did: options.holder,
            ...(key !== undefined && { holder_private_key: key }),
            credentials,
            audience: options.audience,
            ...(options.nonce !== undefined && { nonce: options.nonce }),
            ...(options.domain !== undefined && { domain: options.domain }),
        };
        const made = await (await service()).presentations.create(input);
        const { presentation_id, holder, audience, presentation } = made;
        return fieldsReport(made, { presentation_id, holder, audience, presentation });
    },
});

export const verifyPresentation = command({
    name: 'verify-presentation',
    summary: 'Verify a presentation and the credentials in it',
    details: 'Exits with 0 if it is valid and with 1 if it is not. Look at every issuer: anybody can be one.',
    positionals: { token: { summary: 'The presentation, or @FILE, or - for standard input' } },
    options: {
        audience: { value: 'DID', summary: 'Your DID, for which it must have been made', required: true },
        nonce: { value: 'TEXT', summary: 'The challenge that you gave the holder' },
        'no-nonce': { summary: 'You gave no challenge, so the presentation may be shown again' },
        ...VERIFYING_OPTIONS,
    },
    examples: [
        {
            line: 'cred verify-presentation @presentation.txt --audience did:web:verifier.example --nonce n-5d1f --revocation',
        },
        {
            line: 'cred verify-presentation - --audience did:web:verifier.example --no-nonce --offline < presentation.txt',
        },
    ],
    async run({ args, options, world, service }) {
        const { audience, nonce, revocation } = options;
        if ((nonce === undefined) !== options['no-nonce']) {
            throw new CliError('Give the --nonce that the holder got, or --no-nonce if there was none.');
        }
        const offline = offlineOptions(options);
        const presentation = await textArgument(args.token, 'a presentation', world);
        const input = { presentation, audience, check_revocation: revocation, ...(nonce !== undefined && { nonce }) };
        const verdict: Partial<PresentationResult> & { valid: boolean } = options.offline
            ? await verifyOffline(presentation, { audience, nonce: nonce ?? false, ...offline })
            : await orMalformed((await service()).presentations.verify(input));
        const { credentials: tokens = [] } = payloadOf(presentation) as { credentials?: unknown[] }; // it is verified
        const { holder, created_at } = verdict;
        const credentials = (verdict.credentials ?? []).map((it, index) => withSignedClaims(it, tokens[index]));
        const result = { ...verdict, ...(verdict.credentials && { credentials }) };
        const shown = credentials.map(
            (it) => `${it.valid ? 'valid' : 'NOT valid'}: ${it.credential_type} of ${it.issuer}`,
        );
        return verdictReport(result, {
            holder,
            audience: result.audience,
            created_at,
            ...Object.fromEntries(shown.map((text, index) => [`credential ${index + 1}`, text])),
        });
    },
});
