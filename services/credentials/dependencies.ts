import type { Signatures } from '../../workers/crypto/signatures.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Batches } from './batches.ts';
import type { ListDependencies } from './view.ts';

export interface CredentialsDependencies extends ListDependencies {
    signatures: Signatures;
    batches: Batches;
    idempotency: Idempotency;
    /** Milliseconds since 1970. */
    clock: () => number;
}
