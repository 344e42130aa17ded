import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { IssueItem, IssueManyRequest, IssueManyResponse } from '../../proto/gen/credentials/v1/credentials.ts';
import { signerOf } from '../../workers/crypto/signature-jobs.ts';
import type { ItemContext } from './batches.ts';
import type { CredentialsDependencies } from './dependencies.ts';
import { issueOne } from './issue.ts';
import { requireIssuer } from './rules.ts';

/** Maximum number of bytes of the texts of a batch. The answer contains them twice and must fit into one message. */
const MAX_BATCH_BYTES = 1 << 20;

/** Issues credentials of one issuer. Throws AppError `invalid` if its DID or its private key is invalid. */
export async function issueMany(
    deps: CredentialsDependencies,
    { issuer_did, issuer_private_key, items }: IssueManyRequest,
    context: CallContext,
): Promise<IssueManyResponse> {
    requireIssuer(issuer_did);
    signerOf({ did: issuer_did, secretKey: issuer_private_key });
    if (items.reduce((sum, item) => sum + sizeOf(item), 0) > MAX_BATCH_BYTES) {
        throw new AppError('too_large', 'The items may have at most 1 MiB of text in total.');
    }
    const batch = { method: 'issue', field: 'items', items, context } as const;
    const issueItem = (item: IssueItem, own: ItemContext) =>
        issueOne(deps, { request: { issuer_did, issuer_private_key, ...item }, claim: undefined }, own);
    return { results: await deps.batches.run(batch, issueItem) };
}

function sizeOf({ subject_did, credential_type, claims }: IssueItem): number {
    return Buffer.byteLength(subject_did) + Buffer.byteLength(credential_type) + Buffer.byteLength(claims);
}
