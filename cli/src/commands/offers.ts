import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { fieldsReport, tableReport } from '../report.ts';
import { CONTENT_OPTIONS, claimsOf } from './issue.ts';
import { wholeNumber } from './keys.ts';

const ID = { summary: 'Id of the offer, from "cred offers list"' } as const;
const EXAMPLE_ID = '01a1fac9-1a2b-7000-9c3d-5e6f7a8b9c0d';
const ISSUER_ID = '01a1faed-b50a-7000-8f70-7b9d71ab9b89';

interface TxCodeOptions {
    'tx-code': string | undefined;
    'tx-mode': string | undefined;
    'tx-description': string | undefined;
}

/** The transaction code that the options ask for; undefined if they ask for none. */
function txCode({ 'tx-code': length, 'tx-mode': mode, 'tx-description': description }: TxCodeOptions) {
    if (length === undefined) {
        if (mode === undefined && description === undefined) return undefined;
        throw new CliError('--tx-mode and --tx-description need --tx-code LENGTH.');
    }
    return {
        length: wholeNumber(length, '--tx-code'),
        ...(mode !== undefined && { input_mode: mode as 'numeric' | 'text' }), // parse.ts allows no other mode
        ...(description !== undefined && { description }),
    };
}

export const offer = command({
    name: 'offer',
    summary: 'Offer a credential to a wallet: prints a link, and at a terminal its QR code',
    details: 'The link and the transaction code are shown only once. Whoever has the link can take the credential.',
    options: {
        issuer: { value: 'ID', summary: 'Id of the issuer, from "cred issuers list"', required: true },
        configuration: { value: 'ID', summary: 'Which of its configurations is offered', required: true },
        ...CONTENT_OPTIONS,
        subject: { value: 'DID', summary: 'DID of the subject; default: that of the key in the wallet' },
        'expires-in': { value: 'SECONDS', summary: 'For how long the offer can be accepted; default: 900' },
        'tx-code': {
            value: 'LENGTH',
            summary: 'Make a transaction code of 4 to 8 characters, which the wallet asks for; send it another way',
        },
        'tx-mode': {
            value: 'MODE',
            summary: 'numeric (default): the code has digits; text: letters, too',
            choices: ['numeric', 'text'],
        },
        'tx-description': { value: 'TEXT', summary: 'What the wallet tells the holder about the code' },
    },
    examples: [
        { line: `cred offer --issuer ${ISSUER_ID} --configuration membership --claims '{"name":"Ada"}' --tx-code 6` },
    ],
    async run({ options, world, service }) {
        const { issuer, configuration, subject, expires, 'expires-in': seconds } = options;
        const code = txCode(options);
        const input = {
            issuer_id: issuer,
            configuration_id: configuration,
            ...(seconds !== undefined && { expires_in: wholeNumber(seconds, '--expires-in') }),
            claims: await claimsOf(options.claims, world),
            ...(subject !== undefined && { subject_did: subject }),
            ...(expires !== undefined && { expiration_date: expires }),
            ...(code !== undefined && { tx_code: code }),
        };
        const made = await (await service()).offers.create(input);
        const { offer_id, expires_at, offer_uri, tx_code } = made;
        return { ...fieldsReport(made, { offer_id, expires_at, offer_uri, tx_code }), link: offer_uri };
    },
});

export const offersList = command({
    name: 'offers list',
    summary: 'List the offers of the account, newest first',
    details: 'Shows up to 1,000 offers. They are removed a day after they have expired.',
    examples: [{ line: 'cred offers list' }],
    async run({ service }) {
        const list = await (await service()).offers.list({ limit: 1_000 });
        const rows = list.offers.map(({ offer_id, issuer_id, configuration_id, state, expires_at }) => ({
            offer_id,
            issuer_id,
            configuration: configuration_id,
            state,
            expires: expires_at,
        }));
        return tableReport(list, rows, 'There are no offers. Make one with "cred offer".');
    },
});

export const offersShow = command({
    name: 'offers show',
    summary: 'Show the state of an offer, and which credentials were issued',
    positionals: { id: ID },
    examples: [{ line: `cred offers show ${EXAMPLE_ID}` }],
    async run({ args: { id }, service }) {
        const shown = await (await service()).offers.get({ offer_id: id });
        const { credential_ids: ids } = shown;
        return fieldsReport(shown, { ...shown, credential_ids: ids.length > 0 ? ids : undefined });
    },
});

export const offersDelete = command({
    name: 'offers delete',
    summary: 'Delete an offer: it can no longer be accepted',
    positionals: { id: ID },
    examples: [{ line: `cred offers delete ${EXAMPLE_ID}` }],
    async run({ args: { id }, service }) {
        const deleted = await (await service()).offers.delete({ offer_id: id });
        return fieldsReport(deleted, { deleted: deleted.offer_id });
    },
});
