import type { Client } from '../../client/src/client.ts';
import type { Step } from './step.ts';

/** Creates a webhook, manages it and deletes it. Its host does not exist, so its deliveries fail and wait. */
export function webhookSteps({ webhooks }: Client): Step[] {
    let id = '';
    return [
        async () => {
            const created = await webhooks.create({ url: 'https://receiver.invalid/', types: ['wallet.created'] });
            id = created.webhook_id;
        },
        () => webhooks.list({ limit: 10 }),
        () => webhooks.get({ webhook_id: id }),
        () => webhooks.update({ webhook_id: id, description: 'visited' }),
        () => webhooks.rotateSecret({ webhook_id: id, overlap_seconds: 60 }),
        () => webhooks.test({ webhook_id: id }),
        () => {
            const [from, to] = [Date.now() - 60_000, Date.now()].map((time) => new Date(time).toISOString());
            return webhooks.replay({ webhook_id: id, from, to });
        },
        () => webhooks.deliveries({ webhook_id: id, limit: 10 }),
        () => webhooks.delete({ webhook_id: id }),
    ];
}
