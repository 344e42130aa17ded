import { command } from '../command.ts';
import { textArgument } from '../input.ts';
import { parseObject } from '../json-input.ts';
import { fieldsReport } from '../report.ts';
import { readSecret } from '../secret.ts';
import { fieldLines, tableLines } from '../terminal/text.ts';

const PASSWORD = { what: 'wallet password', variable: 'CRED_WALLET_PASSWORD' } as const;
const WALLET = { summary: 'Id of the wallet' } as const;
const READS_PASSWORD =
    'Reads the password of the wallet at the prompt, from standard input or from CRED_WALLET_PASSWORD.';

export const walletCreate = command({
    name: 'wallet create',
    summary: 'Create a wallet that a password opens',
    details: `${READS_PASSWORD} Nobody can restore a lost password.`,
    positionals: { name: { summary: 'Display name of the wallet' } },
    options: { description: { value: 'TEXT', summary: 'What the wallet is for' } },
    examples: [{ line: 'cred wallet create "Ada, private"' }],
    async run({ args: { name }, options: { description }, world, service }) {
        const client = await service();
        const password = await readSecret(world, { ...PASSWORD, confirm: true });
        const input = { name, password, ...(description !== undefined && { description }) };
        const wallet = await client.wallets.create(input);
        return fieldsReport(wallet, { wallet_id: wallet.wallet_id, name: wallet.name, did: wallet.did });
    },
});

export const walletOpen = command({
    name: 'wallet open',
    summary: 'Show a wallet and the credentials in it',
    details: READS_PASSWORD,
    positionals: { wallet: WALLET },
    examples: [{ line: 'cred wallet open 01a1faed-b50a-7000-8f70-7b9d71ab9b89 < password.txt' }],
    async run({ args: { wallet }, world, service }) {
        const client = await service();
        const password = await readSecret(world, PASSWORD);
        const data = await client.wallets.open({ wallet_id: wallet, password });
        const rows = data.credentials.map(({ credential_id, credential_type: type, issuer, stored_at }) => ({
            credential_id,
            type,
            issuer,
            stored_at,
        }));
        const head = fieldLines({ wallet_id: data.wallet_id, name: data.name, did: data.did });
        return { data, lines: [...head, '', ...(rows.length > 0 ? tableLines(rows) : ['The wallet is empty.'])] };
    },
});

export const walletAdd = command({
    name: 'wallet add',
    summary: 'Store a credential in a wallet',
    details: `${READS_PASSWORD} A credential that is stored already gets the new metadata.`,
    positionals: { wallet: WALLET, token: { summary: 'The credential, or @FILE' } },
    options: { metadata: { value: 'JSON', summary: 'Data to store with it: a JSON object, or @FILE' } },
    examples: [
        {
            line: 'cred wallet add 01a1faed-b50a-7000-8f70-7b9d71ab9b89 @credential.txt --metadata \'{"folder":"work"}\'',
        },
    ],
    async run({ args, options: { metadata }, world, service }) {
        const client = await service();
        const credential = await textArgument(args.token, 'a credential', world);
        const data =
            metadata && parseObject(await textArgument(metadata, '--metadata', world), 'The value of --metadata');
        const password = await readSecret(world, PASSWORD);
        const input = { wallet_id: args.wallet, password, credential, ...(data && { metadata: data }) };
        const stored = await client.wallets.addCredential(input);
        const { credential_id, credential_type: type, issuer, stored_at } = stored;
        return fieldsReport(stored, { credential_id, type, issuer, stored_at });
    },
});

export const walletRemove = command({
    name: 'wallet remove',
    summary: 'Delete a credential from a wallet',
    details: READS_PASSWORD,
    positionals: { wallet: WALLET, credential: { summary: 'Id of the credential: urn:uuid:…' } },
    examples: [
        {
            line: 'cred wallet remove 01a1faed-b50a-7000-8f70-7b9d71ab9b89 urn:uuid:01a1faed-b57f-7000-bf74-e815627fa0af',
        },
    ],
    async run({ args: { wallet, credential }, world, service }) {
        const client = await service();
        const password = await readSecret(world, PASSWORD);
        const input = { wallet_id: wallet, credential_id: credential, password };
        const deleted = await client.wallets.deleteCredential(input);
        return fieldsReport(deleted, { ...deleted });
    },
});
