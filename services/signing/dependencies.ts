import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { DidServiceDefinition } from '../../proto/gen/did/v1/did.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import type { Cursors } from '../cursors.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Quota } from '../quotas.ts';
import type { Seals } from './data-keys.ts';
import type { SigningStore } from './rows.ts';
import type { Signers } from './signers.ts';
import type { WebhookSecretsStore } from './webhook-secrets/secrets.store.ts';

export interface SigningDependencies {
    store: SigningStore;
    webhookSecrets: WebhookSecretsStore;
    seals: Seals;
    signers: Signers;
    signatures: Signatures;
    services: { did: ServiceOf<typeof DidServiceDefinition> };
    cursors: Cursors;
    idempotency: Idempotency;
    /** The URL under which clients reach the service; undefined if it has no did:web issuers. */
    publicUrl: string | undefined;
    /** Maximum number of issuers of an account, including archived ones. */
    quota: Quota;
    /** Milliseconds since 1970. */
    clock: () => number;
    /** Resolves when no process uses what it has read before this call. */
    leasesEnd(): Promise<void>;
}
