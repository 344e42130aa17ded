import { AppError } from '../../../platform/errors.ts';
import { within } from '../../../platform/within.ts';

/** A key-encryption key: one from the settings, or one that a provider keeps. */
export interface Kek {
    name: string;
    /** `owner` is stored nowhere, and the result unwraps only with the same one. */
    wrap(dataKey: Uint8Array, owner: string): Promise<Buffer>;
    /** Resolves to undefined if the bytes were changed, or were wrapped for another owner or with another key. */
    unwrap(wrapped: Uint8Array, owner: string): Promise<Buffer | undefined>;
}

/** Length of a data key, in bytes. */
export const KEY_BYTES = 32;

/** How long a provider may take for one operation, in milliseconds. Beyond it: `unavailable`. */
const PROVIDER_TIMEOUT_MS = 3_000;

/** The failure of a provider, in words for the log. */
export class ProviderFailure extends Error {}

/** The error of a call that needs a key-encryption key which cannot be used now. `provider` keeps the key, if one does. */
export function unusableKek(cause: string, provider?: string): AppError {
    return new AppError('unavailable', 'The keys of managed issuers cannot be used now. Try again shortly.', {
        retry_after: 5,
        reason: provider === undefined ? 'kek' : `kek ${provider}`,
        cause: new Error(cause),
    });
}

/**
 * Runs one operation of a provider. `signal` aborts it when its time is over. Throws AppError `unavailable` if it fails.
 * The log shows the text of a ProviderFailure, and only the code or the type of any other error, because the text of
 * such an error may contain a part of the request.
 */
export async function askProvider<Result>(
    provider: string,
    operation: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
    const abort = new AbortController();
    try {
        return await within(PROVIDER_TIMEOUT_MS, operation(abort.signal), () => {
            abort.abort();
            throw new ProviderFailure(`no answer within ${PROVIDER_TIMEOUT_MS} ms`);
        });
    } catch (error) {
        throw unusableKek(error instanceof ProviderFailure ? error.message : `failed: ${codeOf(error)}`, provider);
    }
}

/** The first code among an error and its causes, such as ECONNREFUSED, or the type of the error. */
function codeOf(error: unknown): string {
    for (let cause = error; Error.isError(cause); cause = cause.cause) {
        if ('code' in cause && typeof cause.code === 'string') return cause.code;
    }
    return Error.isError(error) ? error.name : typeof error;
}
