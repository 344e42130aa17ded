import type { Exchange } from './exchange.ts';

export interface Cors {
    /** Adds what browsers of allowed origins need to the answer; true where no more was asked, by a preflight request. */
    allow(exchange: Pick<Exchange, 'request' | 'headers'>): boolean;
}

const PREFLIGHT = {
    'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Request-Id, X-Wallet-Password, traceparent',
    'Access-Control-Max-Age': '600',
};
const EXPOSED =
    'X-Request-Id, X-Error-Code, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Link';

/** Cross-origin access for the given origins; for none, where the list is empty. */
export function cors(origins: readonly string[]): Cors {
    const allowed = new Set(origins.map((origin) => origin.trim()));
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
