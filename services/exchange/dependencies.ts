import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { SigningServiceDefinition } from '../../proto/gen/signing/v1/signing.ts';
import type { Cursors } from '../cursors.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Quota } from '../quotas.ts';
import type { ConfigurationsStore } from './configurations.store.ts';
import type { OffersStore } from './offers.store.ts';

export interface ExchangeDependencies {
    configurations: ConfigurationsStore;
    offers: OffersStore;
    idempotency: Idempotency;
    cursors: Cursors;
    services: { signing: Pick<ServiceOf<typeof SigningServiceDefinition>, 'getIssuer'> };
    /** The URL of the service in the names of its issuers. Without one with https, nothing is offered. */
    publicUrl: string | undefined;
    /** Without it no copy of the database opens what is sealed in it. */
    pepper: string;
    /** Maximum number of offers of an account. */
    quota: Quota;
    /** Milliseconds since 1970. */
    clock: () => number;
}
