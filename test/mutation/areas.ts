/** A part of the core: what is changed in it, and the tests that should notice. */
export interface Area {
    /** Files that are changed; those that end in `.lua` by the mutator of this folder, the others by Stryker. */
    mutate: string[];
    tests: string[];
}

export const AREAS: Record<string, Area> = {
    token: {
        mutate: ['workers/crypto/paseto.ts', 'workers/crypto/signature-jobs.ts'],
        tests: ['test/unit/paseto.test.ts', 'test/unit/signatures.test.ts', 'test/vectors/paseto.test.ts'],
    },
    did: {
        mutate: ['workers/crypto/did-key.ts', 'workers/crypto/base58.ts', 'workers/crypto/ed25519.ts'],
        tests: [
            'test/unit/did-key.test.ts',
            'test/unit/base58.test.ts',
            'test/unit/ed25519.test.ts',
            'test/vectors/did-key.test.ts',
            'test/vectors/base58.test.ts',
            'test/vectors/ed25519.test.ts',
        ],
    },
    batching: { mutate: ['platform/batch.ts'], tests: ['test/unit/batch.test.ts', 'test/unit/batch-queue.test.ts'] },
    authentication: {
        mutate: [
            'gateway/auth.ts',
            'gateway/admit.ts',
            'gateway/session-tokens.ts',
            'platform/api-key.ts',
            'platform/session-token.ts',
        ],
        tests: [
            'test/unit/auth.test.ts',
            'test/unit/admit.test.ts',
            'test/unit/admit-buckets.test.ts',
            'test/unit/api-key.test.ts',
            'test/unit/session-token.test.ts',
            'test/unit/session-tokens.test.ts',
        ],
    },
    liveness: {
        mutate: ['gateway/live.ts', 'platform/marks.ts'],
        tests: ['test/unit/live.test.ts', 'test/unit/admit.test.ts', 'test/integration/marks.test.ts'],
    },
    sealing: {
        mutate: ['workers/crypto/seal.ts', 'services/wallet/records.ts', 'services/wallet/unlock.ts'],
        tests: ['test/unit/seal.test.ts', 'test/unit/wallet-records.test.ts', 'test/unit/wallet-unlock.test.ts'],
    },
    limiter: {
        mutate: ['gateway/limit.ts', 'gateway/limit-script.ts', 'gateway/local-windows.ts', 'platform/limit-record.ts'],
        tests: [
            'test/unit/local-windows.test.ts',
            'test/unit/limit.test.ts',
            'test/unit/limit-record.test.ts',
            'test/integration/limiter.test.ts',
            'test/integration/limit-records.test.ts',
            'test/integration/limit-marks.test.ts',
        ],
    },
    'limiter-script': {
        mutate: ['gateway/limit.lua'],
        tests: [
            'test/integration/limit-records.test.ts',
            'test/integration/limit-marks.test.ts',
            'test/integration/limiter.test.ts',
        ],
    },
};
