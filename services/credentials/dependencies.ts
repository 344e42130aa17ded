import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { SigningServiceDefinition } from '../../proto/gen/signing/v1/signing.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import type { ApproximateQuota } from '../approximate-quota.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { TokenSigner } from '../issuers/token-signer.ts';
import type { WebKeys } from '../issuers/web-keys.ts';
import type { Batches } from './batches.ts';
import type { ListDependencies } from './list.ts';
import type { Parts } from './parts/parts.ts';
import type { CredentialStore } from './rows.ts';
import type { StatusPlaces } from './status-lists/places.ts';

export interface CredentialsOptions extends Omit<ListDependencies, 'services' | 'store'> {
    parts: Parts;
    signatures: Signatures;
    services: ListDependencies['services'] & { signing: ServiceOf<typeof SigningServiceDefinition> };
    batches: Batches;
    idempotency: Idempotency;
    quota: ApproximateQuota;
    /** The URL of the service in the addresses of its status lists. Without one, no credential gets a place. */
    publicUrl: string | undefined;
    /** Milliseconds since 1970. */
    clock: () => number;
}

export interface CredentialsDependencies extends CredentialsOptions {
    /** The credentials of all parts. */
    store: CredentialStore;
    tokenSigner: TokenSigner;
    webKeys: WebKeys;
    /** The places on the status lists of each part. */
    statusPlaces: readonly StatusPlaces[];
}
