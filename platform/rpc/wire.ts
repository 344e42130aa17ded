import type { Error as WireError } from '../../proto/gen/rpc/v1/frames.ts';
import { AppError, isErrorKind } from '../errors.ts';

export function encodeError(error: AppError): WireError {
    return { kind: error.kind, detail: error.detail, retry_after: error.retry_after };
}

export function decodeError({ kind, detail, retry_after }: WireError): AppError {
    return new AppError(isErrorKind(kind) ? kind : 'internal', detail, { retry_after });
}
