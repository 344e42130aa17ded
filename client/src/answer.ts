import { ApiError } from './errors.ts';
import type { ErrorCode } from './gen/types.ts';
import type { Operation } from './operation.ts';
import type { Received } from './receive.ts';

/** The state of the rate limit, from one answer. */
export interface RateLimit {
    /** Calls per window. */
    limit: number;
    /** Calls left in this window. */
    remaining: number;
    /** When the window ends, as Unix time in seconds. */
    reset: number;
}

/** What an answer says besides its data. */
export interface ResponseInfo {
    status: number;
    /** The request's id in the service's log. Undefined for a document that anybody may read. */
    request_id: string | undefined;
    /** True if the answer is that of an earlier call with the same Idempotency-Key, and nothing more was created. */
    replayed: boolean;
    /** The state of the rate limit after this call. Undefined if the answer does not state it. */
    rate_limit: RateLimit | undefined;
}

export interface Answer {
    data: unknown;
    response: ResponseInfo;
    /** The cursor of a list's next page. */
    next_cursor: string | undefined;
}

export function rateLimitOf(headers: Headers): RateLimit | undefined {
    const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
        wholeNumber(headers.get(`X-RateLimit-${name}`)),
    );
    if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
    return { limit, remaining, reset };
}

/** Returns the result of the operation. Throws ApiError if the answer is a refusal. */
export function answerOf(received: Received, { bare, text, lines }: Operation): Answer {
    const { status, headers } = received;
    const response = {
        status,
        request_id: headers.get('X-Request-Id') ?? undefined,
        replayed: headers.get('Idempotent-Replayed') === 'true',
        rate_limit: rateLimitOf(headers),
    };
    if (text && status < 300) return { data: received.text, response, next_cursor: undefined };
    if (lines && status < 300) {
        const items = received.text.split('\n').slice(0, -1).map(parsed); // each line ends with a newline
        return { data: { [lines.answered]: items }, response, next_cursor: undefined };
    }
    const body = parsed(received.text);
    if (status >= 300 || body === undefined || !(bare || 'data' in body)) throw refusal(received, body);
    return { data: bare ? body : body['data'], response, next_cursor: nextCursor(headers.get('Link')) };
}

function refusal({ status, headers }: Received, body: Record<string, unknown> | undefined): ApiError {
    return new ApiError({
        status,
        // A newer service may have kinds that this client does not know. They are passed on.
        code: (headers.get('X-Error-Code') as ErrorCode | null) ?? undefined,
        summary: typeof body?.['message'] === 'string' ? body['message'] : `HTTP ${status}, not from the service`,
        detail: [body?.['error_description'], body?.['error']].find((text) => typeof text === 'string') ?? '',
        request_id: headers.get('X-Request-Id') ?? undefined,
        retry_after: retryAfter(headers.get('Retry-After')),
    });
}

/** The JSON object in a body, if there is one. */
function parsed(text: string): Record<string, unknown> | undefined {
    try {
        const value: unknown = JSON.parse(text);
        if (typeof value !== 'object' || value === null) return undefined;
        return value as Record<string, unknown>; // every object has this type
    } catch {
        return undefined;
    }
}

function nextCursor(link: string | null): string | undefined {
    const [, target] = /<([^<>]*)>\s*;\s*rel="?next\b/.exec(link ?? '') ?? [];
    if (target === undefined) return undefined;
    // Only the cursor is used: behind a proxy that rewrites paths, the URL itself may not be valid for the client.
    return new URLSearchParams(target.split('?', 2)[1]).get('cursor') ?? undefined;
}

/** The seconds of a Retry-After, which is a number or a date (RFC 9110, section 10.2.3). */
function retryAfter(text: string | null): number | undefined {
    const seconds = wholeNumber(text);
    if (seconds !== undefined || text === null || !text.endsWith(' GMT')) return seconds;
    const waitMs = Date.parse(text) - Date.now();
    return Number.isNaN(waitMs) ? undefined : Math.max(0, Math.ceil(waitMs / 1_000));
}

function wholeNumber(text: string | null): number | undefined {
    return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}
