import type { IssuersGetData } from '../../../client/src/client.ts';
import { command } from '../command.ts';
import { fieldsReport, type Report, tableReport } from '../report.ts';
import { fieldLines, tableLines } from '../terminal/text.ts';

const ID = { summary: 'Id of the issuer, from "cred issuers list"' } as const;
const EXAMPLE_ID = '01a1faed-b50a-7000-8f70-7b9d71ab9b89';

const ALGORITHM = {
    value: 'ALG',
    summary: 'What the key signs with (default: EdDSA, as PASETO tokens need it)',
    choices: ['EdDSA', 'ES256'],
} as const;

function algorithm(alg: string | undefined) {
    return alg === undefined ? {} : { alg: alg as 'EdDSA' | 'ES256' }; // parse.ts allows no other algorithm
}

function issuerReport(issuer: IssuersGetData): Report {
    const { issuer_id, did, method, name, created_at, archived_at, keys } = issuer;
    const rows = keys.map(({ kid, alg, state, created_at: created, retired_at, compromised_at, reason }) => ({
        kid,
        alg,
        state,
        created,
        ended: compromised_at ?? retired_at,
        reason,
    }));
    const lines = fieldLines({ issuer_id, did, method, name, created_at, archived_at });
    return { data: issuer, lines: [...lines, '', ...tableLines(rows)] };
}

export const issuersCreate = command({
    name: 'issuers create',
    summary: 'Create an issuer whose private key the service keeps',
    details:
        'Nobody can read the private key. A did:key issuer has one key for ever; the keys of a did:web issuer can be rotated.',
    positionals: { name: { summary: 'Display name of the issuer' } },
    options: {
        method: { value: 'METHOD', summary: 'DID method of the issuer', required: true, choices: ['key', 'web'] },
        alg: ALGORITHM,
    },
    examples: [{ line: 'cred issuers create "Human resources" --method web' }],
    async run({ args: { name }, options: { method, alg }, service }) {
        // parse.ts allows no other method
        const input = { name, method: method as 'key' | 'web', ...algorithm(alg) };
        const issuer = await (await service()).issuers.create(input);
        const { issuer_id, did, kid, public_key } = issuer;
        return fieldsReport(issuer, { issuer_id, did, kid, alg: issuer.alg, public_key });
    },
});

export const issuersList = command({
    name: 'issuers list',
    summary: 'List the managed issuers of the account',
    examples: [{ line: 'cred issuers list' }],
    async run({ service }) {
        const list = await (await service()).issuers.list();
        const rows = list.issuers.map(({ issuer_id, name, did, keys, archived_at }) => ({
            issuer_id,
            name,
            did,
            keys: keys.length,
            archived: archived_at,
        }));
        return tableReport(list, rows, 'There are no managed issuers. Create one with "cred issuers create NAME".');
    },
});

export const issuersShow = command({
    name: 'issuers show',
    summary: 'Show a managed issuer and its keys',
    positionals: { id: ID },
    examples: [{ line: `cred issuers show ${EXAMPLE_ID}` }],
    async run({ args: { id }, service }) {
        return issuerReport(await (await service()).issuers.get({ issuer_id: id }));
    },
});

export const issuersRotate = command({
    name: 'issuers rotate',
    summary: 'Give a did:web issuer a new key',
    details:
        'The new key signs from now on in place of the old one for the same algorithm. What the old key has signed stays valid.',
    positionals: { id: ID },
    options: { alg: ALGORITHM },
    examples: [{ line: `cred issuers rotate ${EXAMPLE_ID}` }],
    async run({ args: { id }, options: { alg }, service }) {
        const key = await (await service()).issuers.rotate({ issuer_id: id, ...algorithm(alg) });
        const { kid, public_key, created_at, previous } = key;
        return fieldsReport(key, { kid, alg: key.alg, public_key, created_at, previous });
    },
});

export const issuersCompromise = command({
    name: 'issuers compromise',
    summary: 'Say that others may have a key: nothing that it signed is valid any more',
    positionals: { id: ID, kid: { summary: 'The key, from "cred issuers show"' } },
    options: { reason: { value: 'TEXT', summary: 'Why' } },
    examples: [
        {
            line: `cred issuers compromise ${EXAMPLE_ID} z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK --reason "lost backup"`,
        },
    ],
    async run({ args: { id, kid }, options: { reason }, service }) {
        const input = { issuer_id: id, kid, ...(reason !== undefined && { reason }) };
        const key = await (await service()).issuers.markCompromised(input);
        return fieldsReport(key, { kid: key.kid, state: key.state, reason: key.reason });
    },
});

export const issuersArchive = command({
    name: 'issuers archive',
    summary: 'End an issuer: it signs no more, and what it has signed stays valid',
    positionals: { id: ID },
    examples: [{ line: `cred issuers archive ${EXAMPLE_ID}` }],
    async run({ args: { id }, service }) {
        return issuerReport(await (await service()).issuers.archive({ issuer_id: id }));
    },
});
