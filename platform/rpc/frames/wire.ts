import type { Error as WireError } from '../../../proto/gen/rpc/v1/frames.ts';
import { AppError, asAppError, isErrorKind } from '../../errors.ts';

/** No reply came, because of the connection or of a server that is about to stop. */
export class TransportError extends AppError {
    /** True if the call may have run. If false, it has not run and will not. */
    readonly may_have_run: boolean;

    constructor({ kind, detail, retry_after, cause }: AppError, { may_have_run }: { may_have_run: boolean }) {
        super(kind, detail, { retry_after, cause });
        this.may_have_run = may_have_run;
    }
}

export function encodeError(error: AppError): WireError {
    return { kind: error.kind, detail: error.detail, retry_after: error.retry_after };
}

/**
 * The answer of a service. A failure was logged there, with its stack and the request's id; a refusal for want of room
 * was counted.
 */
export class RemoteError extends AppError {}

export function decodeError({ kind, detail, retry_after }: WireError): AppError {
    if (!isErrorKind(kind)) return asAppError(new Error(`a service returned the error kind ${kind}: ${detail}`));
    return new RemoteError(kind, detail, { retry_after });
}
