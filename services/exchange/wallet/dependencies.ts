import type { CallContext } from '../../../platform/context.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import type { CredentialsServiceDefinition } from '../../../proto/gen/credentials/v1/credentials.ts';
import type { KeysServiceDefinition } from '../../../proto/gen/keys/v1/keys.ts';
import type { SigningServiceDefinition } from '../../../proto/gen/signing/v1/signing.ts';
import type { DpopProofs } from './dpop.ts';
import type { Nonces } from './nonces.ts';
import type { WalletStore } from './wallet.store.ts';

export interface WalletDependencies {
    store: WalletStore;
    services: {
        credentials: Pick<ServiceOf<typeof CredentialsServiceDefinition>, 'issue' | 'eraseSubject'>;
        keys: Pick<ServiceOf<typeof KeysServiceDefinition>, 'mayAct'>;
        signing: Pick<ServiceOf<typeof SigningServiceDefinition>, 'checkSigner'>;
    };
    /** True if the issuer has a configuration. */
    issuerOffers(issuer: string, wallet: CallContext): Promise<boolean>;
    nonces: Nonces;
    dpopProofs: DpopProofs;
    /** The URL of the service in the names of its issuers. */
    publicUrl: string | undefined;
    pepper: string;
    /** Milliseconds since 1970. */
    clock: () => number;
}
