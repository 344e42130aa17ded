import {
    generateKey,
    generateP256Key,
    openSdJwtVc,
    openToken,
    signJws,
    signPayload,
} from '../../../workers/crypto/signature-jobs.ts';
import type { Signatures } from '../../../workers/crypto/signatures.ts';

/** Runs the operations in the calling thread. */
export function inlineSignatures(): Signatures {
    return {
        generate: async () => generateKey(),
        generateP256: async () => generateP256Key(),
        sign: async (request) => signPayload(request),
        signJws: async (request) => signJws(request),
        open: async (request) => openToken(request),
        openSdJwt: async (request) => openSdJwtVc(request),
        close: async () => {},
    };
}
