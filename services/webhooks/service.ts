import { type CallContext, ownContext, requireUser } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type {
    DeleteResponse,
    Delivery,
    ListDeliveriesRequest,
    ListDeliveriesResponse,
    ListRequest,
    ListResponse,
    UpdateRequest,
    Webhook,
    WebhooksServiceDefinition,
} from '../../proto/gen/webhooks/v1/webhooks.ts';
import { erasure } from '../erasure.ts';
import { onePage, totalOf } from '../paging.ts';
import { quotaOf } from '../quotas.ts';
import { bodyOf, TEST_TYPE } from './body.ts';
import { createWebhook } from './create.ts';
import type { WebhooksDependencies } from './dependencies.ts';
import { replayEvents } from './replay.ts';
import { type DeliveryRow, deliveryOf, type WebhookRow, webhookOf } from './rows.ts';
import {
    DELIVERY_STATES,
    existingWebhook,
    knownTypes,
    ownWebhook,
    refuseInactive,
    settableState,
    storableDescription,
    unknownWebhook,
} from './rules.ts';
import { requireWebhookUrl } from './sender/url.ts';

/** Where accounts want their events sent. `delivery/` sends them. */
export function webhooksService(deps: WebhooksDependencies): ServiceOf<typeof WebhooksServiceDefinition> {
    const { store, quota } = deps;
    return {
        create: (request, context) => createWebhook(deps, request, context),
        list: (request, context) => listWebhooks(deps, request, context),
        async get({ webhook_id }, context) {
            return webhookOf(existingWebhook(await store.find(ownWebhook(webhook_id, context), context)));
        },
        update: (request, context) => updateWebhook(deps, request, context),
        delete: ({ webhook_id }, context) => deleteWebhook(deps, webhook_id, context),
        test: ({ webhook_id }, context) => sendTest(deps, webhook_id, context),
        listDeliveries: (request, context) => listDeliveries(deps, request, context),
        replay: (request, context) => replayEvents(deps, request, context),
        async getQuotas(_request, context) {
            const used = await store.count(requireUser(context), context);
            return { webhooks: { used, limit: quotaOf(quota, context) } };
        },
        eraseAccount: erasure(store.erasure),
    };
}

async function listWebhooks(
    { store, cursors }: WebhooksDependencies,
    request: ListRequest,
    context: CallContext,
): Promise<ListResponse> {
    const account = requireUser(context);
    const { page, next_cursor } = await onePage(request, {
        cursors,
        scope: { list: 'webhooks', account },
        idOf: ({ id }: WebhookRow) => id,
        rows: (range) => store.list({ account, ...range }, context),
    });
    const seen = { rows: page.length, more: next_cursor !== undefined };
    const total = await totalOf(request, seen, () => store.count(account, context));
    return { webhooks: page.map(webhookOf), next_cursor, total };
}

async function updateWebhook(
    { store, isReachable, clock }: WebhooksDependencies,
    { webhook_id, url, types, description, state }: UpdateRequest,
    context: CallContext,
): Promise<Webhook> {
    const change = {
        ...ownWebhook(webhook_id, context),
        url: url === undefined ? undefined : requireWebhookUrl(url, isReachable).href,
        types: types && knownTypes(types.types),
        description: description === undefined ? undefined : storableDescription(description),
        state: state === undefined ? undefined : settableState(state),
        now: new Date(clock()).toISOString(),
    };
    return webhookOf(existingWebhook(await store.update(change, context)));
}

async function deleteWebhook(
    { store, services }: WebhooksDependencies,
    webhookId: string,
    context: CallContext,
): Promise<DeleteResponse> {
    const own = ownWebhook(webhookId, context);
    if (!(await store.remove(own, context))) throw unknownWebhook();
    // A job repeats this if signing cannot be reached now.
    const asOwner = { ...ownContext(), user_id: own.account };
    await services.signing.eraseWebhookSecrets({ webhook_id: webhookId }, asOwner).catch(() => {});
    return { webhook_id: webhookId };
}

async function sendTest(
    { store, clock }: WebhooksDependencies,
    webhookId: string,
    context: CallContext,
): Promise<Delivery> {
    const own = ownWebhook(webhookId, context);
    const at = clock();
    const now = new Date(at).toISOString();
    const id = newId(at);
    const body = bodyOf({ type: TEST_TYPE, timestamp: now, data: { webhook_id: webhookId } });
    const delivery = { id, event_id: `test.${id}`, type: TEST_TYPE, body };
    refuseInactive(await store.enqueue({ ...own, delivery, now }, context));
    const waiting = { state: 'waiting', attempts: 0, last_attempt_at: null, status: null, reason: null };
    return deliveryOf({ ...delivery, ...waiting, created_at: now, due_at: now });
}

async function listDeliveries(
    { store, cursors }: WebhooksDependencies,
    request: ListDeliveriesRequest,
    context: CallContext,
): Promise<ListDeliveriesResponse> {
    const { webhook_id, state } = request;
    const own = ownWebhook(webhook_id, context);
    if (state !== undefined && !DELIVERY_STATES.includes(state)) {
        throw invalid(`state must be one of ${DELIVERY_STATES.join(', ')}.`);
    }
    existingWebhook(await store.find(own, context));
    const { page, next_cursor } = await onePage(request, {
        cursors,
        scope: { list: 'webhook_deliveries', account: own.account, of: `${webhook_id} ${state ?? ''}` },
        idOf: ({ id }: DeliveryRow) => id,
        rows: (range) => store.listDeliveries({ webhook: own.id, state, ...range }, context),
    });
    return { deliveries: page.map(deliveryOf), next_cursor };
}
