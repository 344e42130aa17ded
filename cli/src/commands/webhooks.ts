import type { Client, WebhooksCreateInput, WebhooksDeliveriesInput } from '../../../client/src/client.ts';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { fieldsReport, type Report, tableReport } from '../report.ts';
import { wholeNumber } from './keys.ts';

const ID = { summary: 'Id of the webhook, from "cred webhooks list"' } as const;
const EXAMPLE_ID = '01a1faed-b50a-7000-8f70-7b9d71ab9b89';

export const webhooksCreate = command({
    name: 'webhooks create',
    summary: 'Have the events of the account sent to a URL',
    details: 'The secret, which verifies the deliveries, is shown only once.',
    positionals: { url: { summary: 'Where the events are sent: https, and a public address' } },
    options: {
        type: { value: 'TYPE', summary: 'Type of events, such as credential.issued; default: all', repeatable: true },
        description: { value: 'TEXT', summary: 'What it is for' },
    },
    examples: [{ line: 'cred webhooks create https://shop.example/hooks --type credential.revoked' }],
    async run({ args: { url }, options: { type, description }, service }) {
        const input: WebhooksCreateInput = { url, types: type, ...(description !== undefined && { description }) };
        const webhook = await (await service()).webhooks.create(input);
        const { webhook_id, secret, types } = webhook;
        return fieldsReport(webhook, { webhook_id, secret, url: webhook.url, types: types.join(' ') || 'all' });
    },
});

export const webhooksList = command({
    name: 'webhooks list',
    summary: 'List the webhooks of the account',
    examples: [{ line: 'cred webhooks list' }],
    async run({ service }) {
        const list = await (await service()).webhooks.list();
        const rows = list.webhooks.map(({ webhook_id, url, types, state, failing_since }) => ({
            webhook_id,
            url,
            types: types.join(' ') || 'all',
            state,
            failing_since,
        }));
        return tableReport(list, rows, 'There are no webhooks. Create one with "cred webhooks create URL".');
    },
});

export const webhooksDelete = command({
    name: 'webhooks delete',
    summary: 'Delete a webhook: nothing is sent to it any more',
    positionals: { id: ID },
    examples: [{ line: `cred webhooks delete ${EXAMPLE_ID}` }],
    async run({ args: { id }, service }) {
        const deleted = await (await service()).webhooks.delete({ webhook_id: id });
        return fieldsReport(deleted, { deleted: deleted.webhook_id });
    },
});

export const webhooksPause = command({
    name: 'webhooks pause',
    summary: 'Pause a webhook: nothing is sent to it until it is active again',
    details: 'Its events wait in the stream.',
    positionals: { id: ID },
    examples: [{ line: `cred webhooks pause ${EXAMPLE_ID}` }],
    run: ({ args: { id }, service }) => inState(service, id, 'paused'),
});

export const webhooksActivate = command({
    name: 'webhooks activate',
    summary: 'Make a webhook active again that is paused or disabled',
    details: 'The events that wait are sent.',
    positionals: { id: ID },
    examples: [{ line: `cred webhooks activate ${EXAMPLE_ID}` }],
    run: ({ args: { id }, service }) => inState(service, id, 'active'),
});

async function inState(service: () => Promise<Client>, id: string, state: 'active' | 'paused'): Promise<Report> {
    const webhook = await (await service()).webhooks.update({ webhook_id: id, state });
    return fieldsReport(webhook, { webhook_id: webhook.webhook_id, url: webhook.url, state: webhook.state });
}

export const webhooksRotateSecret = command({
    name: 'webhooks rotate-secret',
    summary: 'Give a webhook a new secret',
    details: 'Both secrets sign until the overlap is over. The new one is shown only once.',
    positionals: { id: ID },
    options: { overlap: { value: 'SECONDS', summary: 'How long the earlier secret signs, too; default: one day' } },
    examples: [{ line: `cred webhooks rotate-secret ${EXAMPLE_ID} --overlap 3600` }],
    async run({ args: { id }, options: { overlap }, service }) {
        const seconds = overlap === undefined ? {} : { overlap_seconds: wholeNumber(overlap, '--overlap') };
        const rotated = await (await service()).webhooks.rotateSecret({ webhook_id: id, ...seconds });
        return fieldsReport(rotated, { secret: rotated.secret, 'earlier secret ends': rotated.previous_until });
    },
});

export const webhooksTest = command({
    name: 'webhooks test',
    summary: 'Send an event of the type webhook.test to a webhook',
    positionals: { id: ID },
    examples: [{ line: `cred webhooks test ${EXAMPLE_ID}` }],
    async run({ args: { id }, service }) {
        const delivery = await (await service()).webhooks.test({ webhook_id: id });
        return fieldsReport(delivery, { delivery_id: delivery.delivery_id, state: delivery.state });
    },
});

export const webhooksDeliveries = command({
    name: 'webhooks deliveries',
    summary: 'List what a webhook has got, newest first',
    details: 'Shows up to 1,000 deliveries of the last 30 days.',
    positionals: { id: ID },
    options: {
        state: {
            value: 'STATE',
            summary: 'Only deliveries in this state',
            choices: ['waiting', 'delivered', 'failed'],
        },
    },
    examples: [{ line: `cred webhooks deliveries ${EXAMPLE_ID} --state failed` }],
    async run({ args: { id }, options: { state }, service }) {
        const input: WebhooksDeliveriesInput = { webhook_id: id, limit: 1_000, ...(state !== undefined && { state }) };
        const list = await (await service()).webhooks.deliveries(input);
        const rows = list.deliveries.map((delivery) => ({
            event_id: delivery.event_id,
            type: delivery.type,
            state: delivery.state,
            attempts: delivery.attempts,
            next: delivery.next_attempt_at,
            status: delivery.status,
            reason: delivery.reason,
        }));
        return tableReport(list, rows, 'There are no such deliveries.');
    },
});

export const webhooksReplay = command({
    name: 'webhooks replay',
    summary: 'Send events to a webhook again: one, or those of a time',
    positionals: { id: ID },
    options: {
        event: { value: 'ID', summary: 'The event to send' },
        from: { value: 'TIME', summary: 'Events that happened from this time on (ISO 8601)' },
        to: { value: 'TIME', summary: 'Events that happened before this time, at most 31 days later' },
    },
    examples: [{ line: `cred webhooks replay ${EXAMPLE_ID} --from 2026-11-20T00:00:00Z --to 2026-11-21T00:00:00Z` }],
    async run({ args: { id }, options: { event, from, to }, service }) {
        const what = from !== undefined && to !== undefined ? { from, to } : event !== undefined && { event_id: event };
        if (!what || (event !== undefined && (from ?? to) !== undefined))
            throw new CliError('Give --event, or --from and --to.');
        const replayed = await (await service()).webhooks.replay({ webhook_id: id, ...what });
        return { data: replayed, lines: ['The webhook gets them again, if there are any.'] };
    },
});
