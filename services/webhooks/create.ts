import { type CallContext, requireUser, withoutIdempotencyKey } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import { CreateRequest, CreateResponse } from '../../proto/gen/webhooks/v1/webhooks.ts';
import { type Claim, openAnswer, sealAnswer } from '../idempotency/claim.ts';
import { quotaExceeded, quotaOf } from '../quotas.ts';
import type { WebhooksDependencies } from './dependencies.ts';
import { type EndpointRow, webhookOf } from './rows.ts';
import { knownTypes, storableDescription } from './rules.ts';
import { requireWebhookUrl } from './sender/url.ts';

/** Creates an endpoint, which gets the events from now on. A repeated call gets the answer of the first one. */
export async function createEndpoint(
    deps: WebhooksDependencies,
    request: CreateRequest,
    context: CallContext,
): Promise<CreateResponse> {
    const account = requireUser(context);
    const described = {
        account,
        url: requireWebhookUrl(request.url, deps.isReachable).href,
        types: knownTypes(request.types),
        description: request.description === undefined ? null : storableDescription(request.description),
    };
    const call = { operation: 'webhooks.create', codec: CreateRequest, message: request };
    const claim = deps.idempotency.claimOf({ ...call, showsSecret: true }, context);
    const write = () => written(deps, described, claim, context);
    return deps.idempotency.once(claim, { write, replay: openAnswer(CreateResponse), lookFirst: true }, context);
}

/**
 * Reserves the endpoint, and lets it exist when it has a secret: what a call leaves behind that does not get there is removed
 * like a deleted endpoint. Resolves to undefined if an earlier call holds the claim.
 */
async function written(
    { store, services, quota, clock }: WebhooksDependencies,
    described: Pick<EndpointRow, 'account' | 'url' | 'types' | 'description'>,
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
    const endpoint: EndpointRow = { ...created, state: 'active', failing_since: null };
    await store.reserve({ endpoint, cursor: heads[0]?.seq ?? 0 }, context);
    const own = { webhook_id: endpoint.id };
    const { secret } = await services.signing.createWebhookSecret(own, { ...asked, trusted: true });
    const answer: CreateResponse = { webhook: webhookOf(endpoint), secret };
    const newClaim = claim && {
        ...claim,
        id: endpoint.id,
        made_at: endpoint.created_at,
        sealed: sealAnswer(claim, { codec: CreateResponse, message: answer }),
    };
    const outcome = await store.activate({ account, id: endpoint.id, quota: limit, claim: newClaim }, context);
    if (outcome === 'refused') throw quotaExceeded('webhooks', limit);
    return outcome === 'written' ? answer : undefined;
}
