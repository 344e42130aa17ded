import type { ServiceOf } from '../platform/rpc/definition.ts';
import type { CredentialsServiceDefinition } from '../proto/gen/credentials/v1/credentials.ts';
import type { DidServiceDefinition } from '../proto/gen/did/v1/did.ts';
import type { IdentityServiceDefinition } from '../proto/gen/identity/v1/identity.ts';
import type { KeysServiceDefinition } from '../proto/gen/keys/v1/keys.ts';
import type { PresentationsServiceDefinition } from '../proto/gen/presentations/v1/presentations.ts';
import type { UsageServiceDefinition } from '../proto/gen/usage/v1/usage.ts';
import type { WalletServiceDefinition } from '../proto/gen/wallet/v1/wallet.ts';

/** The services that the gateway calls, wherever they run. */
export interface Services {
    identity: ServiceOf<typeof IdentityServiceDefinition>;
    keys: ServiceOf<typeof KeysServiceDefinition>;
    did: ServiceOf<typeof DidServiceDefinition>;
    credentials: ServiceOf<typeof CredentialsServiceDefinition>;
    presentations: ServiceOf<typeof PresentationsServiceDefinition>;
    wallet: ServiceOf<typeof WalletServiceDefinition>;
    usage: ServiceOf<typeof UsageServiceDefinition>;
}
