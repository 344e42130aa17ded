import { AppError } from '../../../platform/errors.ts';

/** A key-encryption key: one from the settings, or one that a provider keeps. */
export interface Kek {
    name: string;
    /** `owner` is stored nowhere, and the result unwraps only with the same one. */
    wrap(dataKey: Uint8Array, owner: string): Promise<Buffer>;
    /** Resolves to undefined if the bytes were changed, or were wrapped for another owner or with another key. */
    unwrap(wrapped: Uint8Array, owner: string): Promise<Buffer | undefined>;
}

/** How long a provider may take for one operation, in milliseconds. */
export const PROVIDER_TIMEOUT_MS = 3_000;

/**
 * Describes the failure of a provider. `cause` is for the log. It must not repeat what the provider answers, because
 * such texts may contain a part of the request.
 */
export function providerUnavailable(provider: string, cause: string): AppError {
    return new AppError('unavailable', 'The keys of managed issuers cannot be used at the moment. Try again shortly.', {
        retry_after: 5,
        reason: `kek ${provider}`,
        cause: new Error(cause),
    });
}
