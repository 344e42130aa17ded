/** Every error kind, with its gRPC and HTTP status and its short summary. */
const KINDS = {
    invalid: { grpc: 3, http: 400, summary: 'Invalid request' },
    unauthenticated: { grpc: 16, http: 401, summary: 'Authentication required' },
    forbidden: { grpc: 7, http: 403, summary: 'Not allowed' },
    not_found: { grpc: 5, http: 404, summary: 'Not found' },
    method_not_allowed: { grpc: 12, http: 405, summary: 'Method not allowed' },
    request_timeout: { grpc: 4, http: 408, summary: 'Request timeout' },
    /** The client has disconnected and will not read the answer. 499 is the status that nginx logs for this. */
    cancelled: { grpc: 1, http: 499, summary: 'Client closed request' },
    conflict: { grpc: 6, http: 409, summary: 'Conflict' },
    /** The Idempotency-Key belongs to another request. */
    unprocessable: { grpc: 9, http: 422, summary: 'Unprocessable content' },
    too_large: { grpc: 11, http: 413, summary: 'Request too large' },
    unsupported_media_type: { grpc: 3, http: 415, summary: 'Unsupported media type' },
    rate_limited: { grpc: 8, http: 429, summary: 'Rate limit exceeded' },
    headers_too_large: { grpc: 8, http: 431, summary: 'Request header fields too large' },
    internal: { grpc: 13, http: 500, summary: 'Internal server error' },
    unavailable: { grpc: 14, http: 503, summary: 'Service unavailable' },
    deadline: { grpc: 4, http: 503, summary: 'Service unavailable' },
} as const;

/** The form of a reason: a kind of thing and, if there are several of it, its name. */
export const REASON = /^[a-z_]+( [a-zA-Z0-9_.-]{1,64})?$/;

export type ErrorKind = keyof typeof KINDS;

interface Options {
    retry_after?: number | undefined;
    reason?: string | undefined;
    cause?: unknown;
}

/**
 * The only error that may reach a caller. `detail` is written for the caller and never contains SQL, a path, a host
 * name or a secret. Any other error is logged where it happened and becomes `internal`.
 */
export class AppError extends Error {
    readonly kind: ErrorKind;
    readonly detail: string;
    /** Whole seconds after which the same call may succeed. */
    readonly retry_after: number | undefined;
    /**
     * What failed or refused the call: a queue, a store, a service. Only logs and metrics show it, and to wallets the names
     * in WALLET_ERRORS. As it is a label of a metric, it has few values: REASON describes its form.
     */
    readonly reason: string | undefined;

    /** `unavailable` has a reason. Whoever passes on an error of any kind passes on its reason, if it has one. */
    constructor(kind: Exclude<ErrorKind, 'unavailable'>, detail: string, options?: Options);
    constructor(kind: 'unavailable', detail: string, options: Options & { reason: string });
    constructor(kind: ErrorKind, detail: string, options: Options & { reason: string | undefined });
    constructor(kind: ErrorKind, detail: string, options: Options = {}) {
        super(detail, options.cause === undefined ? undefined : { cause: options.cause });
        this.name = 'AppError';
        this.kind = kind;
        this.detail = detail;
        this.retry_after = options.retry_after;
        this.reason = options.reason;
    }

    get httpStatus(): number {
        return KINDS[this.kind].http;
    }

    get grpcCode(): number {
        return KINDS[this.kind].grpc;
    }

    /** True if the process refused the call for a known reason, or because of a known outage. It is then not at fault. */
    get isExplained(): boolean {
        return this.kind === 'deadline' || (this.kind === 'unavailable' && this.reason !== undefined);
    }

    /** The short summary in the envelope's `message`. */
    get summary(): string {
        return KINDS[this.kind].summary;
    }
}

/** Creates an `invalid` error. `detail` says what is wrong with the request, and what would be valid. */
export function invalid(detail: string): AppError {
    return new AppError('invalid', detail);
}

export function isErrorKind(text: string): text is ErrorKind {
    return Object.hasOwn(KINDS, text);
}

/**
 * Returns `error` if it is an AppError. Otherwise returns an `internal` error whose cause is logged but not sent to the
 * caller.
 */
export function asAppError(error: unknown): AppError {
    if (error instanceof AppError) return error;
    return new AppError('internal', 'The request could not be completed because of an internal error.', {
        cause: error,
    });
}
