import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Decision } from '../../platform/access/limit-decision.ts';
import { type CallContext, Cancellation, REQUEST_TIMEOUT_MS } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { REQUEST_ID } from '../../platform/ids.ts';
import { NO_SPAN, readTraceparent, type Span } from '../../platform/telemetry/span.ts';
import { startSpan } from '../../platform/telemetry/tracing.ts';
import type { Principal } from '../admission/authenticator.ts';
import { type BodyOptions, IncomingBody } from './incoming-body.ts';
import { routable } from './target.ts';
/** Maximum number of header fields of a request. Beyond it: 431. */
export const MAX_HEADERS = 100;
/** A host with an optional port, as in a URI (RFC 9110, section 7.2). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/** The state of one request and its answer. It is filled while the request is processed, and logged once at the end. */
export interface Exchange {
    request: IncomingMessage;
    response: ServerResponse;
    body: IncomingBody;
    /** True if a percent escape in the path is malformed or not valid UTF-8. */
    malformedPath: boolean;
    /** `performance.now()` when the request was read. */
    began: number;
    request_id: string;
    /**
     * The trace parent of its calls: its own span or, if the request is not traced, the `traceparent` of the client.
     */
    traceparent: string | undefined;
    span: Span;
    /** Shared by all its calls. Cancelled when the client disconnects. */
    cancellation: Cancellation;
    /** The client's IP address, or `unknown`. */
    ip: string;
    /** The client's address in the form that limits count: IPv6 is cut to its /64. */
    address: string;
    /** The endpoint's id, once it is known. */
    route: string;
    /** True if the log line also shows the client's address and the account that the call acts for (decision A21). */
    audit: boolean;
    /** Number of calls in progress that overload() counts for it: 0 while it does not count it. */
    underWay: number;
    /** True if the request has a valid internal secret and its endpoint accepts one. */
    internal: boolean;
    /** The account that a trusted caller acts for. */
    on_behalf_of?: string;
    principal?: Principal;
    /** The id of the resource that the call acts on. */
    target?: string;
    /** The limiter's decision. Every answer carries it, but public documents. */
    decision?: Decision;
    failure?: AppError;
    /** Set if errors have the form that wallets read: the name of those that are about the request itself. */
    problem?: string;
    /** Header fields of the answer, besides the common ones. */
    headers: Record<string, string>;
}

const EXCHANGE = Symbol('exchange');

export function beginExchange(
    request: IncomingMessage,
    response: ServerResponse,
    { ip, ...body }: BodyOptions & Pick<Exchange, 'ip'>,
): Exchange {
    const { url, malformed } = routable(request.url ?? '/');
    request.url = url;
    const exchange: Exchange = {
        request,
        response,
        body: new IncomingBody(request, body),
        malformedPath: malformed,
        began: performance.now(),
        request_id: requestIdOf(request),
        traceparent: readTraceparent(request.headers.traceparent),
        span: NO_SPAN,
        cancellation: new Cancellation(),
        ip,
        address: body.address,
        route: 'unmatched',
        audit: false,
        underWay: 0,
        internal: false,
        headers: {},
    };
    exchange.span = startSpan('server', request.method ?? '', exchange);
    exchange.traceparent = exchange.span.traceparent ?? exchange.traceparent;
    exchange.headers['X-Request-Id'] = exchange.request_id;
    Object.assign(response, { [EXCHANGE]: exchange });
    return exchange;
}

/** The request id that the caller sent, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
    const id = headers['x-request-id'];
    return typeof id === 'string' && REQUEST_ID.test(id) ? id : randomUUID();
}

export function exchangeOf(response: ServerResponse): Exchange {
    return (response as unknown as { [EXCHANGE]: Exchange })[EXCHANGE]; // beginExchange sets it on every response
}

/**
 * The call context of this exchange. The deadline counts from now: the server's own timeout limits the time that the
 * body takes to arrive.
 */
export function contextOf(exchange: Exchange, timeoutMs = REQUEST_TIMEOUT_MS): CallContext {
    return {
        request_id: exchange.request_id,
        traceparent: exchange.traceparent,
        user_id: exchange.principal?.user_id,
        tier: exchange.principal?.tier,
        session_id: exchange.principal?.session_id,
        key_id: exchange.principal?.key_id,
        address: exchange.address,
        trusted: false,
        deadline: performance.now() + timeoutMs,
        cancellation: exchange.cancellation,
    };
}

/** Throws AppError for header fields that this service and a proxy in front of it could interpret differently. */
export function checkHeaders({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
    if (rawHeaders.length > 2 * MAX_HEADERS) {
        throw new AppError('headers_too_large', `A request may have at most ${MAX_HEADERS} header fields.`);
    }
    let hosts = 0;
    let authorizations = 0;
    for (let index = 0; index < rawHeaders.length; index += 2) {
        const field = rawHeaders[index] as string; // names are at the even indexes
        if (field.length === 4 && field.toLowerCase() === 'host') hosts++;
        else if (field.length === 13 && field.toLowerCase() === 'authorization') authorizations++;
    }
    if (httpVersion !== '1.1' && httpVersion !== '1.0') throw new AppError('invalid', 'Only HTTP/1.1 is supported.');
    const leastHosts = httpVersion === '1.0' ? 0 : 1; // HTTP/1.0 does not require Host
    if (hosts < leastHosts || hosts > 1 || !HOST.test(headers.host ?? '')) {
        throw new AppError('invalid', 'A request must have exactly one Host header, with a host.');
    }
    if (authorizations > 1) throw new AppError('invalid', 'A request may have only one Authorization header.');
    if (headers['transfer-encoding'] !== undefined && headers['transfer-encoding'].toLowerCase() !== 'chunked') {
        throw new AppError('invalid', 'The only supported transfer coding is chunked.');
    }
}

/** The header fields by lower-case name. A field that was sent more than once is an array. */
export function headerFields({ headersDistinct }: IncomingMessage): Record<string, string | string[] | undefined> {
    return Object.fromEntries(
        Object.entries(headersDistinct).map(([name, values]) => [name, values?.length === 1 ? values[0] : values]),
    );
}

export type Headers = Record<string, string | number>;

/** The state of the rate limit, in the header fields of this interface and in those of the IETF draft. */
export function limitHeaders({ limit, remaining, window, reset, wait }: Decision): Headers {
    return {
        'X-RateLimit-Limit': limit,
        'X-RateLimit-Remaining': remaining,
        'X-RateLimit-Reset': reset,
        RateLimit: `"default";r=${remaining};t=${wait}`,
        'RateLimit-Policy': `"default";q=${limit};w=${window}`,
    };
}

/** The header fields that are specific to this exchange. */
export function headersOf({ decision, headers }: Exchange): Headers {
    return decision ? { ...limitHeaders(decision), ...headers } : headers;
}
