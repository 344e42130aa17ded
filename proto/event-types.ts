/** The types of events. Each names the object that it is about, and what has happened to it. */
export const EVENT_TYPES = [
    'credential.issued',
    'credential.revoked',
    'key.created',
    'key.rotated',
    'key.revoked',
    'key.expiring',
    'issuer.created',
    'issuer.rotated',
    'issuer.compromised',
    'issuer.archived',
    'wallet.created',
    'session.ended',
    'user.suspended',
    'user.restored',
    'account.erased',
    'webhook.paused',
    'webhook.disabled',
    'offer.redeemed',
    'offer.notified',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The types that webhooks get. They end before the last event of their account. */
export const WEBHOOK_TYPES = EVENT_TYPES.filter((type) => type !== 'account.erased');

export function isEventType(text: string): text is EventType {
    return (EVENT_TYPES as readonly string[]).includes(text);
}
