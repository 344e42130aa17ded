import { AppError } from '../platform/errors.ts';

/** Calls a method that services of the previous release do not have. Throws `unavailable` if it reaches one of them. */
export async function sinceUpgrade<Answer>(called: Promise<Answer>): Promise<Answer> {
    try {
        return await called;
    } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'method_not_allowed') throw error;
        throw upgrading(error);
    }
}

/** The error of a call that a service of the previous release cannot do. */
export function upgrading(cause?: unknown): AppError {
    const text = 'The service is being upgraded. Try again in a minute.';
    return new AppError('unavailable', text, { retry_after: 60, reason: 'upgrade', cause });
}
