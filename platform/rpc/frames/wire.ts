import type { Error as WireError } from '../../../proto/gen/rpc/v1/frames.ts';
import { AppError, asAppError, isErrorKind, REASON } from '../../errors.ts';

/** The error of a call without a reply: the connection failed, or the server is about to stop. */
export class TransportError extends AppError {
    /** True if the call may have run. If false, it has not run and will not. */
    readonly mayHaveRun: boolean;

    constructor({ kind, detail, retry_after, reason, cause }: AppError, { mayHaveRun }: { mayHaveRun: boolean }) {
        super(kind, detail, { retry_after, reason, cause });
        this.mayHaveRun = mayHaveRun;
    }
}

export function encodeError(error: AppError): WireError {
    const { kind, detail, retry_after, reason } = error;
    return { kind, detail, retry_after, reason };
}

/**
 * An error that a service has returned. If it is a failure, the service has logged it with the request's id. If the
 * service had no room for the call, it has counted the refusal.
 */
export class RemoteError extends AppError {}

export function decodeError({ kind, detail, retry_after, reason }: WireError): AppError {
    if (!isErrorKind(kind)) return asAppError(new Error(`a service returned the error kind ${kind}: ${detail}`));
    return new RemoteError(kind, detail, { retry_after, reason: reason && REASON.test(reason) ? reason : undefined });
}
