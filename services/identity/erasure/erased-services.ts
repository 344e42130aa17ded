import type { ServiceDefinition, ServiceOf } from '../../../platform/rpc/definition.ts';
import type { CredentialsServiceDefinition } from '../../../proto/gen/credentials/v1/credentials.ts';
import type { DidServiceDefinition } from '../../../proto/gen/did/v1/did.ts';
import type { EventsServiceDefinition } from '../../../proto/gen/events/v1/events.ts';
import type { ExchangeServiceDefinition } from '../../../proto/gen/exchange/v1/exchange.ts';
import type { KeysServiceDefinition } from '../../../proto/gen/keys/v1/keys.ts';
import type { PresentationsServiceDefinition } from '../../../proto/gen/presentations/v1/presentations.ts';
import type { SigningServiceDefinition } from '../../../proto/gen/signing/v1/signing.ts';
import type { UsageServiceDefinition } from '../../../proto/gen/usage/v1/usage.ts';
import type { WalletServiceDefinition } from '../../../proto/gen/wallet/v1/wallet.ts';
import type { WebhooksServiceDefinition } from '../../../proto/gen/webhooks/v1/webhooks.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../../../proto/services.ts';

type Eraser<Definition extends ServiceDefinition> = Pick<ServiceOf<Definition>, 'eraseAccount'>;

/** The services that store something about an account, in the order in which they erase it. */
export interface ErasedServices {
    /** The first one, so that nothing more is sent. */
    webhooks: Eraser<typeof WebhooksServiceDefinition>;
    /** Before the credentials, so that no more are issued. */
    exchange: Eraser<typeof ExchangeServiceDefinition>;
    keys: Eraser<typeof KeysServiceDefinition>;
    wallet: Eraser<typeof WalletServiceDefinition>;
    presentations: Eraser<typeof PresentationsServiceDefinition>;
    credentials: Eraser<typeof CredentialsServiceDefinition>;
    signing: Eraser<typeof SigningServiceDefinition>;
    did: Eraser<typeof DidServiceDefinition>;
    usage: Eraser<typeof UsageServiceDefinition>;
    /** The last one, because the others may have to pass on events until they are done. */
    events: Eraser<typeof EventsServiceDefinition>;
}

export function erasedServices(
    serviceClient: <D extends ServiceDefinition>(role: ServiceRole, definition: D) => ServiceOf<D>,
): ErasedServices {
    return {
        webhooks: serviceClient('webhooks', SERVICE_DEFINITIONS.webhooks),
        exchange: serviceClient('exchange', SERVICE_DEFINITIONS.exchange),
        keys: serviceClient('keys', SERVICE_DEFINITIONS.keys),
        wallet: serviceClient('wallet', SERVICE_DEFINITIONS.wallet),
        presentations: serviceClient('presentations', SERVICE_DEFINITIONS.presentations),
        credentials: serviceClient('credentials', SERVICE_DEFINITIONS.credentials),
        signing: serviceClient('signing', SERVICE_DEFINITIONS.signing),
        did: serviceClient('did', SERVICE_DEFINITIONS.did),
        usage: serviceClient('usage', SERVICE_DEFINITIONS.usage),
        events: serviceClient('events', SERVICE_DEFINITIONS.events),
    };
}
