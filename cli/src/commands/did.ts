import { writeFileSync } from 'node:fs';
import { command } from '../command.ts';
import { fileError } from '../errors.ts';
import { fieldsReport } from '../report.ts';

export const didNew = command({
    name: 'did new',
    summary: 'Create a did:key with a key pair',
    details: 'The service does not keep the private key, so this is the only time that you see it.',
    options: {
        'key-file': {
            value: 'FILE',
            summary: 'Write the private key to this new file, which only you can read, and do not show it',
            file: true,
        },
    },
    examples: [{ line: 'cred did new --key-file issuer.key' }],
    async run({ options: { 'key-file': file }, service }) {
        const client = await service();
        if (file !== undefined) writeNew(file, ''); // before a DID is created whose key cannot be stored
        const { private_key = '', ...created } = await client.did.create(); // the service has created the pair
        if (file === undefined) return fieldsReport({ ...created, private_key }, { ...created, private_key });
        writeFileSync(file, `${private_key}\n`);
        return fieldsReport({ ...created, key_file: file }, { ...created, key_file: file });
    },
});

function writeNew(path: string, text: string): void {
    try {
        writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    } catch (error) {
        throw fileError(path, error);
    }
}

export const didResolve = command({
    name: 'did resolve',
    summary: 'Show the public key of a did:key, or its document',
    positionals: { did: { summary: 'A did:key' } },
    options: {
        derive: { summary: 'Resolve a did:key also if the service has not recorded it' },
        document: { summary: 'Show the DID document, as JSON' },
    },
    examples: [{ line: 'cred did resolve did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK --derive' }],
    async run({ args: { did }, options: { derive, document }, service }) {
        const client = await service();
        if (!document) {
            const resolved = await client.did.resolve({ did, derive });
            return fieldsReport(resolved, { ...resolved });
        }
        const data = (await client.did.document({ did, derive })).document;
        return { data, lines: JSON.stringify(data, null, 2).split('\n') };
    },
});
