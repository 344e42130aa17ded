import type { Client } from '../../../client/src/client.ts';
import { service } from '../support/client.ts';
import { aKey } from '../support/world.ts';

/** Nothing listens there. */
export const DEAF_URL = 'https://127.0.0.2:1024/hooks';

/** A webhook of a new account, with a token of that account. */
export async function aWebhook(url = DEAF_URL) {
    const token = await aKey();
    return { token, ...(await service.as({ token }).webhooks.create({ url, description: 'the shop' })) };
}

/** Examples of the endpoints of events and webhooks. */
export const webhookExamples = {
    'events.list': async () => {
        const token = await aKey();
        return { token, run: ({ events }: Client) => events.list({ after: 0, types: 'key.created', limit: 10 }) };
    },
    'webhooks.create': async () => {
        const token = await aKey();
        const input = { url: DEAF_URL, types: ['credential.issued'], description: 'the shop' };
        return { token, run: ({ webhooks }: Client) => webhooks.create(input) };
    },
    'webhooks.list': async () => {
        const { token } = await aWebhook();
        return { token, run: ({ webhooks }: Client) => webhooks.list() };
    },
    'webhooks.get': async () => {
        const { token, webhook_id } = await aWebhook();
        return { token, run: ({ webhooks }: Client) => webhooks.get({ webhook_id }) };
    },
    'webhooks.update': async () => {
        const { token, webhook_id } = await aWebhook();
        return { token, run: ({ webhooks }: Client) => webhooks.update({ webhook_id, state: 'paused' }) };
    },
    'webhooks.delete': async () => {
        const { token, webhook_id } = await aWebhook();
        return { token, run: ({ webhooks }: Client) => webhooks.delete({ webhook_id }) };
    },
    'webhooks.rotate_secret': async () => {
        const { token, webhook_id } = await aWebhook();
        return {
            token,
            run: ({ webhooks }: Client) => webhooks.rotateSecret({ webhook_id, overlap_seconds: 60 }),
        };
    },
    'webhooks.test': async () => {
        const { token, webhook_id } = await aWebhook();
        return { token, run: ({ webhooks }: Client) => webhooks.test({ webhook_id }) };
    },
    'webhooks.deliveries': async () => {
        const { token, webhook_id } = await aWebhook();
        await service.as({ token }).webhooks.test({ webhook_id });
        return { token, run: ({ webhooks }: Client) => webhooks.deliveries({ webhook_id, state: 'waiting' }) };
    },
    'webhooks.replay': async () => {
        const { token, webhook_id } = await aWebhook();
        const time = { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' };
        return { token, run: ({ webhooks }: Client) => webhooks.replay({ webhook_id, ...time }) };
    },
};
