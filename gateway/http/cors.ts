import type { Exchange } from './exchange.ts';

export interface Cors {
    /**
     * Adds the header fields that browsers on allowed origins need. Returns true for a preflight request, which needs
     * no other processing.
     */
    allow(exchange: Pick<Exchange, 'request' | 'headers'>): boolean;
}

const PREFLIGHT = {
    'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
    'Access-Control-Allow-Headers':
        'Authorization, Content-Type, DPoP, Idempotency-Key, X-Request-Id, X-Wallet-Password, traceparent',
    'Access-Control-Max-Age': '600',
};
const EXPOSED =
    'WWW-Authenticate, X-Request-Id, X-Error-Code, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Link, Idempotent-Replayed';

/** Allows cross-origin requests from these origins only. An empty list allows none. */
export function cors(origins: readonly string[]): Cors {
    const allowed = new Set(origins);
    return {
        allow({ request, headers }) {
            if (allowed.size === 0) return false;
            headers['Vary'] = 'Origin';
            const { origin } = request.headers;
            if (origin === undefined || !allowed.has(origin)) return false;
            headers['Access-Control-Allow-Origin'] = origin;
            headers['Access-Control-Expose-Headers'] = EXPOSED;
            if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false;
            Object.assign(headers, PREFLIGHT);
            return true;
        },
    };
}

/**
 * Lets scripts of every web page read the answer, whatever the settings say: it contains a public document, or says why
 * there is none.
 */
export function allowAnyOrigin({ headers }: Pick<Exchange, 'headers'>): void {
    delete headers['Vary'];
    headers['Access-Control-Allow-Origin'] = '*';
    headers['Access-Control-Expose-Headers'] = EXPOSED;
    headers['Cross-Origin-Resource-Policy'] = 'cross-origin';
}

/** Answers a preflight request of any origin. Returns false if the request is none. */
export function allowAnyPreflight({ request, headers }: Pick<Exchange, 'request' | 'headers'>): boolean {
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false;
    allowAnyOrigin({ headers });
    Object.assign(headers, PREFLIGHT);
    return true;
}
