/** A part of the core: the files that are changed, and the tests that should fail then. */
export interface Area {
    /** Files to change. lua-mutants.ts changes files that end in `.lua`, Stryker changes the others. */
    mutate: string[];
    tests: string[];
}

export const AREAS: Record<string, Area> = {
    token: {
        mutate: [
            'tokens/v4-public.ts',
            'tokens/open.ts',
            'workers/crypto/paseto.ts',
            'workers/crypto/signature-jobs.ts',
        ],
        tests: [
            'test/unit/workers/crypto/paseto.test.ts',
            'test/unit/workers/crypto/signatures.test.ts',
            'test/unit/workers/crypto/signatures-threads.test.ts',
            'test/vectors/paseto.test.ts',
        ],
    },
    did: {
        mutate: ['tokens/did-key.ts', 'workers/crypto/did-key.ts', 'workers/crypto/ed25519.ts'],
        tests: [
            'test/unit/workers/crypto/did-key.test.ts',
            'test/unit/workers/crypto/ed25519.test.ts',
            'test/vectors/did-key.test.ts',
            'test/vectors/ed25519.test.ts',
        ],
    },
    issuers: {
        mutate: ['tokens/web-did.ts', 'services/signing/signers.ts', 'services/issuers/leases.ts'],
        tests: [
            'test/unit/tokens/web-did.test.ts',
            'test/unit/services/issuers/leases.test.ts',
            'test/integration/signing/issuers.test.ts',
            'test/integration/signing/key-states.test.ts',
        ],
    },
    batching: {
        mutate: ['platform/batch.ts', 'platform/gather.ts'],
        tests: ['test/unit/platform/batch.test.ts', 'test/unit/platform/batch-queue.test.ts'],
    },
    authentication: {
        mutate: [
            'gateway/admission/authenticator.ts',
            'gateway/admission/admission.ts',
            'gateway/admission/address-limits.ts',
            'gateway/admission/internal-secret.ts',
            'gateway/admission/session-verifier.ts',
            'platform/access/api-key.ts',
            'platform/access/session-token.ts',
        ],
        tests: [
            'test/unit/gateway/admission/auth.test.ts',
            'test/unit/gateway/admission/admit.test.ts',
            'test/unit/gateway/admission/admit-buckets.test.ts',
            'test/unit/platform/access/api-key.test.ts',
            'test/unit/platform/access/session-token.test.ts',
            'test/unit/gateway/admission/session-tokens.test.ts',
        ],
    },
    liveness: {
        mutate: [
            'gateway/admission/auth-states.ts',
            'gateway/admission/key-restrictions.ts',
            'platform/access/liveness-marks.ts',
        ],
        tests: [
            'test/unit/gateway/admission/live.test.ts',
            'test/unit/gateway/admission/admit.test.ts',
            'test/unit/gateway/admission/key-restrictions.test.ts',
            'test/integration/redis/marks.test.ts',
            'test/integration/redis/version-marks.test.ts',
        ],
    },
    sealing: {
        mutate: ['workers/crypto/seal.ts', 'services/wallet/records.ts', 'services/wallet/unlock.ts'],
        tests: [
            'test/unit/workers/crypto/seal.test.ts',
            'test/unit/services/wallet/wallet-records.test.ts',
            'test/unit/services/wallet/wallet-unlock.test.ts',
        ],
    },
    limiter: {
        mutate: [
            'platform/access/limiter.ts',
            'platform/access/limit-script.ts',
            'platform/access/local-windows.ts',
            'platform/access/request-counts.ts',
        ],
        tests: [
            'test/unit/platform/access/local-windows.test.ts',
            'test/unit/platform/access/limit.test.ts',
            'test/unit/platform/access/request-counts.test.ts',
            'test/integration/redis/limiter.test.ts',
            'test/integration/redis/limit-windows.test.ts',
            'test/integration/redis/limit-marks.test.ts',
        ],
    },
    'limiter-script': {
        mutate: ['platform/access/limit.lua'],
        tests: [
            'test/integration/redis/version-marks.test.ts',
            'test/integration/redis/limit-windows.test.ts',
            'test/integration/redis/limit-marks.test.ts',
            'test/integration/redis/limiter.test.ts',
        ],
    },
};
