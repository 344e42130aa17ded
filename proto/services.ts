import { CredentialsServiceDefinition } from './gen/credentials/v1/credentials.ts';
import { DidServiceDefinition } from './gen/did/v1/did.ts';
import { EventsServiceDefinition } from './gen/events/v1/events.ts';
import { ExchangeServiceDefinition } from './gen/exchange/v1/exchange.ts';
import { IdentityServiceDefinition } from './gen/identity/v1/identity.ts';
import { KeysServiceDefinition } from './gen/keys/v1/keys.ts';
import { PresentationsServiceDefinition } from './gen/presentations/v1/presentations.ts';
import { SigningServiceDefinition } from './gen/signing/v1/signing.ts';
import { UsageServiceDefinition } from './gen/usage/v1/usage.ts';
import { WalletServiceDefinition } from './gen/wallet/v1/wallet.ts';
import { WebhooksServiceDefinition } from './gen/webhooks/v1/webhooks.ts';

/** The gRPC services, by the role that serves them. */
export const SERVICE_DEFINITIONS = {
    identity: IdentityServiceDefinition,
    keys: KeysServiceDefinition,
    did: DidServiceDefinition,
    signing: SigningServiceDefinition,
    credentials: CredentialsServiceDefinition,
    presentations: PresentationsServiceDefinition,
    wallet: WalletServiceDefinition,
    usage: UsageServiceDefinition,
    events: EventsServiceDefinition,
    webhooks: WebhooksServiceDefinition,
    exchange: ExchangeServiceDefinition,
} as const;

export type ServiceRole = keyof typeof SERVICE_DEFINITIONS;

/** The roles of the services, in the order in which they start. */
export const SERVICE_ROLES = Object.keys(SERVICE_DEFINITIONS) as ServiceRole[];
