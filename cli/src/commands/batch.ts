import type { CredentialsBatchIssueInput } from '../../../client/src/client.ts';
import { ISSUING, picking } from '../batch/items.ts';
import { KNOWN_HOURS } from '../batch/plan.ts';
import { type Job, runBatch } from '../batch/run.ts';
import { command, type Option } from '../command.ts';
import { CliError } from '../errors.ts';
import { readPrivateKey } from '../secret.ts';
import { withSignedClaims } from '../signed.ts';
import { SIGNING_OPTIONS } from './issue.ts';

const FILES = {
    from: {
        value: 'FILE',
        summary: 'Items, - for standard input: CSV if its name ends in .csv, otherwise NDJSON',
        required: true,
        file: true,
    },
    out: {
        value: 'FILE',
        summary: 'Write results here, and continue an earlier run; else they are printed',
        file: true,
    },
} as const satisfies Record<string, Option>;

const CONTINUES =
    'With --out, a run that was stopped is continued by the same command. The file FILE.plan beside the results says how the input is divided, and when the batch began.';

export const batchIssue = command({
    name: 'batch issue',
    summary: 'Issue a credential for each line of a file',
    details: `Fields of an item: subject_did, credential_type, claims, expiration_date. In CSV, each claim has a column: claims.NAME. ${CONTINUES} For ${KNOWN_HOURS} hours nothing is issued twice. Then the service forgets what it has issued, and continuing is refused, because up to 1,000 lines could get a second credential.`,
    options: {
        ...FILES,
        ...SIGNING_OPTIONS,
        'continue-late': { summary: `Continue after ${KNOWN_HOURS} hours, even if lines may get a second credential` },
    },
    examples: [
        {
            line: 'cred batch issue --from items.csv --issuer did:key:z6Mk… --key-file issuer.key --out results.ndjson',
        },
    ],
    async run({ options, world, service }) {
        const { from, out, issuer, 'status-list': listed, 'continue-late': late } = options;
        if (options['key-file'] === '-' && from === '-') {
            throw new CliError('Standard input cannot be the private key and the items. Give one of them as a file.');
        }
        const key = await readPrivateKey(world, { path: options['key-file'], variable: 'CRED_ISSUER_KEY' });
        const common = { issuer_did: issuer, ...(listed && { status_list: true }) };
        const job: Job = {
            name: 'issue',
            reader: ISSUING,
            settings: common,
            needsKey: true,
            async send(client, items, idempotencyKey) {
                // The items have the fields of the file; the service checks them.
                const input = { ...common, ...(key !== undefined && { issuer_private_key: key }), items };
                const answer = await client.credentials.batch.issue(input as CredentialsBatchIssueInput, {
                    idempotency_key: idempotencyKey,
                });
                return answer.results;
            },
        };
        return runBatch(job, { from, out, late, world, open: service });
    },
});

export const batchVerify = command({
    name: 'batch verify',
    summary: 'Verify the credential on each line of a file',
    details: `Fields of an item: credential, and issuer_did if you expect one. The results of "cred batch issue" will do. ${CONTINUES} Up to 1,000 lines may be verified twice.`,
    options: { ...FILES, revocation: { summary: 'Ask also whether they have been revoked' } },
    examples: [{ line: 'cred batch verify --from credentials.ndjson --revocation --out verdicts.ndjson' }],
    async run({ options: { from, out, revocation }, world, service }) {
        const job: Job = {
            name: 'verify',
            reader: picking('credential', 'issuer_did'),
            settings: { check_revocation: revocation },
            async send(client, items) {
                const input = { check_revocation: revocation, items: items as Array<{ credential: string }> }; // picked
                const { results } = await client.credentials.batch.verify(input);
                return results.map((result, index) => withSignedClaims(result, items[index]?.['credential']));
            },
        };
        return runBatch(job, { from, out, world, open: service });
    },
});

export const batchRevoke = command({
    name: 'batch revoke',
    summary: 'Revoke the credential on each line of a file, for good',
    details: `Fields of an item: credential_id, and reason if it has its own. The results of "cred batch issue" will do. ${CONTINUES} What is revoked already stays as it is.`,
    options: {
        ...FILES,
        issuer: { value: 'DID', summary: 'DID of the issuer', required: true },
        reason: { value: 'TEXT', summary: 'Why, for items without a reason of their own' },
    },
    examples: [{ line: 'cred batch revoke --from leavers.csv --issuer did:key:z6Mk… --reason "left the company"' }],
    async run({ options: { from, out, issuer, reason }, world, service }) {
        const common = { issuer_did: issuer, ...(reason !== undefined && { reason }) };
        const job: Job = {
            name: 'revoke',
            reader: picking('credential_id', 'reason'),
            settings: common,
            async send(client, items) {
                const input = { ...common, items: items as Array<{ credential_id: string }> }; // picked
                return (await client.credentials.batch.revoke(input)).results;
            },
        };
        return runBatch(job, { from, out, world, open: service });
    },
});
