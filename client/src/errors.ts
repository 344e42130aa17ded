import type { ErrorCode } from './gen/types.ts';

/** A refusal: the service, or a proxy in front of it, answered with an error. */
export class ApiError extends Error {
    readonly status: number;
    /** The kind of refusal; undefined if something other than the service answered. */
    readonly code: ErrorCode | undefined;
    /** The answer's `message`: the kind of refusal in a few words. */
    readonly summary: string;
    /** The answer's `error`: what is wrong, in detail. */
    readonly detail: string;
    /** The request's id in the service's log. */
    readonly request_id: string | undefined;
    /** Seconds after which the same call may succeed. */
    readonly retry_after: number | undefined;

    constructor(answer: Pick<ApiError, 'status' | 'code' | 'summary' | 'detail' | 'request_id' | 'retry_after'>) {
        super(answer.detail ? `${answer.summary}: ${answer.detail}` : answer.summary);
        this.name = 'ApiError';
        this.status = answer.status;
        this.code = answer.code;
        this.summary = answer.summary;
        this.detail = answer.detail;
        this.request_id = answer.request_id;
        this.retry_after = answer.retry_after;
    }
}

/** No answer arrived, or only part of it. `cause` is the error of `fetch`. */
export class ConnectionError extends Error {
    /** True if the request certainly did not reach the service. Otherwise it may have been carried out. */
    readonly never_sent: boolean;

    constructor(message: string, { never_sent, cause }: { never_sent: boolean; cause?: unknown }) {
        super(message, cause === undefined ? undefined : { cause });
        this.name = 'ConnectionError';
        this.never_sent = never_sent;
    }
}

/** The service is not at `base_url`, so the same call would fail every time. */
export class AddressError extends Error {
    constructor(message: string) {
        super(message);
        this.name = 'AddressError';
    }
}

/** Converts the error that `fetch` threw for a request to `url` into an error of this client. */
export function sendingError(cause: unknown, url: string): AddressError | ConnectionError {
    const refused = refusedBecause(cause);
    // The text contains only the origin of the URL, because the rest may contain a secret.
    if (refused !== undefined) return new AddressError(`fetch refuses to call ${new URL(url).origin}: ${refused}.`);
    return connectionError(cause);
}

/**
 * The reason why Node's `fetch` did not try to connect; undefined if it tried. Errors of sockets, TLS and HTTP have a
 * code. Errors of `fetch`'s own rules, such as a blocked port, have none. Browsers give no cause, so there such an
 * error looks like a lost connection.
 */
function refusedBecause(error: unknown): string | undefined {
    const cause: unknown = error instanceof TypeError ? error.cause : undefined;
    return cause instanceof Error && !('code' in cause || 'errors' in cause) ? cause.message : undefined;
}

/** Converts a failure of the connection into a ConnectionError. */
export function connectionError(cause: unknown): ConnectionError {
    const neverSent = isNeverSent(cause);
    const message = neverSent ? 'The service cannot be reached.' : 'The connection broke off before the whole answer.';
    return new ConnectionError(message, { never_sent: neverSent, cause });
}

/**
 * True if the error of Node's `fetch` says that no connection was opened. Browsers give no cause, so there it is never
 * true.
 */
function isNeverSent(error: unknown): boolean {
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    if (typeof cause !== 'object' || cause === null) return false;
    if ('errors' in cause && Array.isArray(cause.errors))
        return cause.errors.length > 0 && cause.errors.every(isConnect);
    return isConnect(cause);
}

/** True if the error occurred while a host name was looked up or a connection was opened. */
function isConnect(cause: object): boolean {
    const { syscall, code } = cause as { syscall?: unknown; code?: unknown }; // fields of Node's system errors
    return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT';
}
