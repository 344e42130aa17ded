import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { MAX_BATCH_ITEMS, MAX_CLAIMS_BYTES } from '../../../proto/limits.ts';
import { answerBatch, BATCH_TIMEOUT_MS, batchAnswer } from '../../batch-answer.ts';
import { endpoint } from '../../endpoint.ts';
import { anyItem, base64, jsonObject, listOf, optional, parseItem } from '../../fields.ts';
import { issued, revocation, verification } from './credentials.ts';
import { formFields, formInItems, inForm, refuseOtherThan } from './forms.ts';

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

export const credentialBatchEndpoints = [
    endpoint({
        id: 'credentials.batch.issue',
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
