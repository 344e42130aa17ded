import { type CallContext, requireUser, withoutIdempotencyKey } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import { CreateRequest, CreateResponse } from '../../proto/gen/webhooks/v1/webhooks.ts';
import { type Claim, openAnswer, sealAnswer } from '../idempotency/claim.ts';
import { quotaExceeded, quotaOf } from '../quotas.ts';
import type { WebhooksDependencies } from './dependencies.ts';
import { type WebhookRow, webhookOf } from './rows.ts';
import { knownTypes, storableDescription } from './rules.ts';
import { requireWebhookUrl } from './sender/url.ts';

/** Creates a webhook, which gets the events from now on. A repeated call gets the answer of the first one. */
export async function createWebhook(
    deps: WebhooksDependencies,
    request: CreateRequest,
    context: CallContext,
): Promise<CreateResponse> {
    const account = requireUser(context);
    const described = {
        url: requireWebhookUrl(request.url, deps.isReachable).href,
        types: knownTypes(request.types),
        description: request.description === undefined ? null : storableDescription(request.description),
    };
    const message = { ...described, description: described.description ?? undefined };
    const call = { operation: 'webhooks.create', codec: CreateRequest, message };
    const claim = deps.idempotency.claimOf({ ...call, showsSecret: true }, context);
    const write = () => written(deps, { ...described, account }, claim, context);
    return deps.idempotency.once(claim, { write, replay: openAnswer(CreateResponse), lookFirst: true }, context);
}

/**
 * Reserves the webhook, and lets it exist when it has a secret: what a call leaves behind that does not get there is removed
 * like a deleted webhook. Resolves to undefined if an earlier call holds the claim.
 */
async function written(
    { store, services, quota, clock }: WebhooksDependencies,
    described: Pick<WebhookRow, 'account' | 'url' | 'types' | 'description'>,
    claim: Claim | undefined,
    context: CallContext,
): Promise<CreateResponse | undefined> {
    const { account } = described;
    const limit = quotaOf(quota, context);
    const asked = withoutIdempotencyKey(context);
    if ((await store.count(account, context)) >= limit) throw quotaExceeded('webhooks', limit);
    const { heads } = await services.events.getHeads({ accounts: [account] }, { ...asked, trusted: true });
    const now = clock();
    const created = { ...described, id: newId(now), created_at: new Date(now).toISOString() };
    const webhook: WebhookRow = { ...created, state: 'active', failing_since: null };
    await store.reserve({ webhook, cursor: heads[0]?.seq ?? 0 }, context);
    const own = { webhook_id: webhook.id };
    const { secret } = await services.signing.createWebhookSecret(own, { ...asked, trusted: true });
    const answer: CreateResponse = { webhook: webhookOf(webhook), secret };
    const newClaim = claim && {
        ...claim,
        id: webhook.id,
        made_at: webhook.created_at,
        sealed: sealAnswer(claim, { codec: CreateResponse, message: answer }),
    };
    const outcome = await store.activate({ account, id: webhook.id, quota: limit, claim: newClaim }, context);
    if (outcome === 'refused') throw quotaExceeded('webhooks', limit);
    return outcome === 'written' ? answer : undefined;
}
