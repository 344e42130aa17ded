import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { EventsServiceDefinition } from '../../proto/gen/events/v1/events.ts';
import type { SigningServiceDefinition } from '../../proto/gen/signing/v1/signing.ts';
import type { Cursors } from '../cursors.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Quota } from '../quotas.ts';
import type { Reachable } from './sender/addresses.ts';
import type { WebhooksStore } from './store.ts';

export interface WebhooksDependencies {
    store: WebhooksStore;
    idempotency: Idempotency;
    cursors: Cursors;
    services: {
        events: Pick<ServiceOf<typeof EventsServiceDefinition>, 'getHeads' | 'listEvents'>;
        signing: Pick<ServiceOf<typeof SigningServiceDefinition>, 'createWebhookSecret' | 'eraseWebhookSecrets'>;
    };
    /** Which addresses a URL may name. */
    isReachable: Reachable;
    /** Maximum number of webhooks of an account. */
    quota: Quota;
    /** Milliseconds since 1970. */
    clock: () => number;
}
