import type { Error as WireError } from '../../../proto/gen/rpc/v1/frames.ts';
import { AppError, asAppError, isErrorKind } from '../../errors.ts';

/** The error of a call without a reply: the connection failed, or the server is about to stop. */
export class TransportError extends AppError {
    /** True if the call may have run. If false, it has not run and will not. */
    readonly mayHaveRun: boolean;

    constructor({ kind, detail, retry_after, cause }: AppError, { mayHaveRun }: { mayHaveRun: boolean }) {
        super(kind, detail, { retry_after, cause });
        this.mayHaveRun = mayHaveRun;
    }
}

export function encodeError(error: AppError): WireError {
    return { kind: error.kind, detail: error.detail, retry_after: error.retry_after };
}

/**
 * An error that a service has returned. If it is a failure, the service has logged it with its stack and the request's
 * id. If the service had no room for the call, it has counted the refusal.
 */
export class RemoteError extends AppError {}

export function decodeError({ kind, detail, retry_after }: WireError): AppError {
    if (!isErrorKind(kind)) return asAppError(new Error(`a service returned the error kind ${kind}: ${detail}`));
    return new RemoteError(kind, detail, { retry_after });
}
