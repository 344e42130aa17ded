import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { poolMetrics } from '../../../../workers/crypto/pool-metrics.ts';
import { type Signatures, signaturePool } from '../../../../workers/crypto/signatures.ts';

export const NOTHING = new Uint8Array(0);

/** The refusal of bytes that are no private key. */
export const MALFORMED = { kind: 'invalid', detail: 'The private key is not an Ed25519 private key.' };

/** Starts a pool of two threads. The caller closes it. */
export function newPool(): Signatures {
    return signaturePool({ threads: 2, metrics: poolMetrics(createMetrics()) });
}
