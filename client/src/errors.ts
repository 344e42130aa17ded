import type { ErrorCode } from './gen/types.ts';

/** A refusal: the service, or a proxy before it, has answered with an error. */
export class ApiError extends Error {
    readonly status: number;
    /** The kind of refusal; undefined where not the service has answered. */
    readonly code: ErrorCode | undefined;
    /** The answer's `message`: the kind of refusal in a few words. */
    readonly summary: string;
    /** The answer's `error`: what is wrong, in detail. */
    readonly detail: string;
    /** What the service's log knows the request by. */
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

/** No answer, or none that is whole; `cause` is what `fetch` said. */
export class ConnectionError extends Error {
    /** Whether the request is known not to have reached the service; else it may have been carried out. */
    readonly never_sent: boolean;

    constructor(message: string, { never_sent, cause }: { never_sent: boolean; cause?: unknown }) {
        super(message, cause === undefined ? undefined : { cause });
        this.name = 'ConnectionError';
        this.never_sent = never_sent;
    }
}

/** The service is not at `base_url`: the same call would end the same way each time. */
export class AddressError extends Error {
    constructor(message: string) {
        super(message);
        this.name = 'AddressError';
    }
}

/** What `fetch` threw for a request to `url`, as an error of the client. */
export function sendingError(cause: unknown, url: string): AddressError | ConnectionError {
    const refused = refusedBecause(cause);
    // Of the URL only its origin: the rest may hold a secret.
    if (refused !== undefined) return new AddressError(`fetch refuses to call ${new URL(url).origin}: ${refused}.`);
    return connectionError(cause);
}

/**
 * Why Node's `fetch` did not even try. The errors of sockets, TLS and HTTP all have a code, those of its own rules have none.
 * Browsers tell no cause: there it looks like a lost connection.
 */
function refusedBecause(error: unknown): string | undefined {
    const cause: unknown = error instanceof TypeError ? error.cause : undefined;
    return cause instanceof Error && !('code' in cause || 'errors' in cause) ? cause.message : undefined;
}

/** What went wrong on the connection, as a ConnectionError. */
export function connectionError(cause: unknown): ConnectionError {
    const never_sent = isNeverSent(cause);
    const message = never_sent ? 'The service cannot be reached.' : 'The connection broke off before the whole answer.';
    return new ConnectionError(message, { never_sent, cause });
}

/** What Node's `fetch` gives as its cause when no connection came about. Browsers tell no cause: nothing is known there. */
function isNeverSent(error: unknown): boolean {
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    if (typeof cause !== 'object' || cause === null) return false;
    if ('errors' in cause && Array.isArray(cause.errors))
        return cause.errors.length > 0 && cause.errors.every(isConnect);
    return isConnect(cause);
}

/** Whether it happened while a name was looked up or a connection opened. */
function isConnect(cause: object): boolean {
    const { syscall, code } = cause as { syscall?: unknown; code?: unknown }; // which Node's system errors have
    return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT';
}
