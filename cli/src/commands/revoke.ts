import { command } from '../command.ts';
import { fieldsReport } from '../report.ts';

const ID = { summary: 'Id of the credential: urn:uuid:…' } as const;

export const revoke = command({
    name: 'revoke',
    summary: 'Revoke a credential for good',
    positionals: { id: ID },
    options: {
        issuer: { value: 'DID', summary: 'DID of its issuer', required: true },
        reason: { value: 'TEXT', summary: 'Why, for whoever asks for the status' },
    },
    examples: [
        {
            line: 'cred revoke urn:uuid:01a1faed-b57f-7000-bf74-e815627fa0af --issuer did:key:z6Mk… --reason "left the company"',
        },
    ],
    async run({ args: { id }, options: { issuer, reason }, service }) {
        const input = { credential_id: id, issuer_did: issuer, ...(reason !== undefined && { reason }) };
        const revoked = await (await service()).credentials.revoke(input);
        return fieldsReport(revoked, { ...revoked });
    },
});

export const status = command({
    name: 'status',
    summary: 'Show whether a credential has been revoked',
    positionals: { id: ID },
    examples: [{ line: 'cred status urn:uuid:01a1faed-b57f-7000-bf74-e815627fa0af' }],
    async run({ args: { id }, service }) {
        const answer = await (await service()).credentials.status({ credential_id: id });
        return fieldsReport(answer, { ...answer });
    },
});
