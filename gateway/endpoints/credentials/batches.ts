import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { MAX_BATCH_ITEMS, MAX_CLAIMS_BYTES } from '../../../proto/limits.ts';
import { answerBatch, BATCH_TIMEOUT_MS, batchAnswer } from '../../batch-answer.ts';
import { endpoint } from '../../endpoint.ts';
import { anyItem, base64, jsonObject, listOf, optional, parseItem } from '../../fields.ts';
import { issued, revocation, verification } from './credentials.ts';
import { formFields, formInItems, inForm, OWN_KEY, refuseOtherThan } from './forms.ts';

const issueItem = z.object({
    subject_did: z.string(),
    credential_type: z.string(),
    claims: jsonObject(MAX_CLAIMS_BYTES),
    expiration_date: optional(z.string()),
    issuer_did: optional(z.string()),
    status_list: optional(z.boolean()),
    ...formFields,
});
const verifyItem = z.object({
    credential: z.string(),
    issuer_did: optional(z.string()),
    check_revocation: optional(z.boolean()),
});
const revokeItem = z.object({ credential_id: z.string(), reason: optional(z.string()) });
const statusItem = z.string();

const itemsOf = (item: z.ZodType) => listOf(anyItem(item), { min: 1, max: MAX_BATCH_ITEMS });
const weight = ({ items }: { items: unknown[] }) => items.length;

const LIMIT =
    'Each item counts as a request: a batch within the rate limit is done, any other is refused with 429 before its first item. A batch of more items than the whole limit is refused with 400. One batch of an account is worked on at a time; of further ones up to 64 wait, for 10 s at most.';
const EACH =
    'The answer is 200 and has a result for each item, in the order in which they were sent. One bad item does not affect the others. Items without time left have the code `deadline` after 28 s.';

export const credentialBatchEndpoints = [
    endpoint({
        id: 'credentials.batch.issue',
        summary: 'Issue up to 1,000 credentials',
        description: `Issues credentials of one issuer, as single calls would. ${OWN_KEY} ${EACH} ${LIMIT} A batch that is repeated with its \`Idempotency-Key\` returns the credentials that were issued, and issues the missing ones.`,
        method: 'POST',
        path: '/v1/credentials/batch/issue',
        access: 'bearer',
        scope: 'credentials:issue',
        status: 200,
        message: 'Batch completed',
        byKey: true,
        batch: 'credentials',
        timeout_ms: BATCH_TIMEOUT_MS,
        body: formInItems(
            z.object({
                issuer_did: z.string(),
                issuer_private_key: optional(base64),
                status_list: optional(z.boolean()),
                items: itemsOf(issueItem),
            }),
        ),
        weight,
        answer: batchAnswer(issued),
        call: ({ body: { issuer_did, issuer_private_key, status_list: common, items }, services, context }) =>
            answerBatch(items, {
                read(sent, index) {
                    const { issuer_did: named = issuer_did, ...item } = inForm(parseItem(issueItem, sent));
                    const statusList = (item.status_list ?? common) || undefined;
                    if (named === issuer_did) return { ...item, status_list: statusList, place: index };
                    throw new AppError('invalid', 'The issuer_did of an item must be that of the batch.');
                },
                async run(valid, refusedPlaces) {
                    const request = { issuer_did, issuer_private_key, items: valid, refused_places: refusedPlaces };
                    const { results } = await services.credentials.issueMany(request, context);
                    for (const [index, item] of valid.entries()) refuseOtherThan(item, results[index]?.value);
                    return results;
                },
                alwaysRun: true,
            }),
    }),

    endpoint({
        id: 'credentials.batch.verify',
        summary: 'Verify up to 1,000 credentials',
        description: `Checks credentials, as single calls would. \`ok\` says that an item was checked, and \`valid\` what the check found. ${EACH} ${LIMIT}`,
        idempotent: true,
        method: 'POST',
        path: '/v1/credentials/batch/verify',
        access: 'bearer',
        scope: 'credentials:verify',
        status: 200,
        message: 'Batch completed',
        batch: 'credentials',
        timeout_ms: BATCH_TIMEOUT_MS,
        body: z.object({ items: itemsOf(verifyItem), check_revocation: optional(z.boolean()) }),
        weight,
        answer: batchAnswer(verification),
        call: ({ body: { items, check_revocation: common = false }, services, context }) =>
            answerBatch(items, {
                read(sent) {
                    const { check_revocation = common, ...item } = parseItem(verifyItem, sent);
                    return { ...item, check_revocation };
                },
                async run(valid) {
                    const request = { credentials: [], check_revocation: false, items: valid };
                    return (await services.credentials.verifyMany(request, context)).item_results;
                },
            }),
    }),

    endpoint({
        id: 'credentials.batch.revoke',
        summary: 'Revoke up to 1,000 credentials',
        description: `Revokes credentials of one issuer, as single calls would. Each item with the same id is answered with the first revocation. ${EACH} ${LIMIT}`,
        idempotent: true,
        method: 'POST',
        path: '/v1/credentials/batch/revoke',
        access: 'bearer',
        scope: 'credentials:revoke',
        status: 200,
        message: 'Batch completed',
        batch: 'credentials',
        timeout_ms: BATCH_TIMEOUT_MS,
        body: z.object({ issuer_did: z.string(), reason: optional(z.string()), items: itemsOf(revokeItem) }),
        weight,
        answer: batchAnswer(revocation),
        call: ({ body: { items, ...common }, services, context }) =>
            answerBatch(items, {
                read: (sent) => parseItem(revokeItem, sent),
                run: async (valid) =>
                    (await services.credentials.revokeMany({ ...common, items: valid }, context)).results,
            }),
    }),

    endpoint({
        id: 'credentials.batch.status',
        summary: 'Get the revocation status of up to 1,000 credentials',
        description: `${EACH} ${LIMIT}`,
        idempotent: true,
        method: 'POST',
        path: '/v1/credentials/batch/status',
        access: 'bearer',
        scope: 'credentials:read',
        status: 200,
        message: 'Batch completed',
        batch: 'credentials',
        timeout_ms: BATCH_TIMEOUT_MS,
        body: z.object({ credential_ids: itemsOf(statusItem) }),
        weight: ({ credential_ids }) => credential_ids.length,
        answer: batchAnswer(revocation),
        call: ({ body, services, context }) =>
            answerBatch(body.credential_ids, {
                read: (sent) => parseItem(statusItem, sent),
                run: async (valid) =>
                    (await services.credentials.getStatusMany({ credential_ids: valid }, context)).results,
            }),
    }),
];
