import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import {
    type IssueItem,
    type IssueManyRequest,
    type IssueManyResponse,
    IssueRequest,
} from '../../proto/gen/credentials/v1/credentials.ts';
import { digestOf } from '../idempotency/claim.ts';
import { type ClaimedItem, claimItems, noteItems, runItem } from '../idempotency/items.ts';
import { type ItemContext, requireItems } from './batches.ts';
import type { CredentialsDependencies } from './dependencies.ts';
import { askSigner, compared, issueOne } from './issue.ts';
import { requireIssuer } from './rules.ts';

/**
 * Maximum number of bytes of the texts of a batch. The answer contains them twice, an SD-JWT also two texts for each
 * disclosure, and it must fit into one message. Beyond it: 413.
 */
const MAX_BATCH_BYTES = 1 << 20;
/** What an SD-JWT counts as in MAX_BATCH_BYTES, besides its texts. Its answer is up to three times as long. */
const BYTES_OF_SD_JWT = 400;
/** What a disclosure counts as in MAX_BATCH_BYTES, besides its texts. */
const BYTES_OF_DISCLOSURE = 64;

/**
 * Issues credentials of one issuer. With an Idempotency-Key each item has a claim of its own, so a repeated call returns
 * the credentials that the first one has issued, and issues the missing ones. Throws AppError `invalid` if the issuer's
 * DID or its private key is invalid; `unprocessable` if the key was used for another item at the same place, or for one
 * that the caller now refuses.
 */
export async function issueMany(
    deps: CredentialsDependencies,
    { issuer_did, issuer_private_key, items, refused_places }: IssueManyRequest,
    context: CallContext,
): Promise<IssueManyResponse> {
    requireItems('items', [...items, ...refused_places]);
    requireIssuer(issuer_did);
    // The signer is the same for all items of a form, so a wrong one fails the batch.
    for (const { form } of firstOfEachForm(items)) {
        await askSigner(deps.tokenSigner, { issuer_did, issuer_private_key, form }, context);
    }
    if (items.reduce((sum, item) => sum + sizeOf(item), 0) > MAX_BATCH_BYTES) {
        throw new AppError('too_large', 'The items may have at most 1 MiB of text in total.');
    }
    const requestOf = ({ place: _, ...item }: IssueItem): IssueRequest => ({ issuer_did, issuer_private_key, ...item });
    const claimed = await claimItems(
        deps.idempotency,
        {
            operation: 'credentials.batch.issue',
            items,
            digestOf: (item) => digestOf({ codec: IssueRequest, message: compared(requestOf(item)) }),
            placeOf: ({ place }) => place,
            refusedPlaces: refused_places,
        },
        context,
    );
    const issueItem = ({ item, ...claims }: ClaimedItem<IssueItem>, own: ItemContext) =>
        runItem(own, (its) => issueOne(deps, { request: requestOf(item), ...claims }, its));
    const results = await deps.batches.run({ method: 'issue', items: claimed, context }, issueItem);
    noteItems(
        results.flatMap(({ value }) => value ?? []),
        context,
    );
    return { results: results.map(({ value, failure }) => ({ value: value?.value, failure })) };
}

/** If no item is left, the signer of PASETO tokens is checked. */
function firstOfEachForm(items: readonly IssueItem[]): ReadonlyArray<Pick<IssueItem, 'form'>> {
    const inForm = items.find(({ form }) => form !== undefined);
    const paseto = items.find(({ form }) => form === undefined);
    return [...(paseto || !inForm ? [{}] : []), ...(inForm ? [inForm] : [])];
}

function sizeOf({ subject_did, credential_type, claims, form }: IssueItem): number {
    const texts = Buffer.byteLength(subject_did) + Buffer.byteLength(credential_type) + Buffer.byteLength(claims);
    if (form === undefined) return texts;
    // An object has a comma between two members.
    const disclosures = form.disclosable?.pointers.length ?? claims.split(',').length;
    return texts + BYTES_OF_SD_JWT + BYTES_OF_DISCLOSURE * disclosures;
}
