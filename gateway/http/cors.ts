import type { Endpoint } from '../endpoint.ts';
import type { Exchange } from './exchange.ts';

export interface Cors {
    /**
     * Adds the header fields that browsers on allowed origins need. Returns true for a preflight request, which needs
     * no other processing.
     */
    allow(exchange: Pick<Exchange, 'request' | 'headers'>): boolean;
    /**
     * Lets scripts of every web page read an answer that no endpoint gives, if they may call its path, and gives errors
     * the form of the path's others. Returns true for a preflight request.
     */
    allowAll(exchange: Pick<Exchange, 'request' | 'headers' | 'problem'>): boolean;
}

const PREFLIGHT = {
    'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
    'Access-Control-Allow-Headers':
        'Authorization, Content-Type, DPoP, Idempotency-Key, If-None-Match, X-Request-Id, X-Wallet-Password, traceparent',
    'Access-Control-Max-Age': '600',
};
const EXPOSED =
    'WWW-Authenticate, X-Request-Id, X-Error-Code, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, Retry-After, ETag, Link, Idempotent-Replayed';

/** Allows cross-origin requests from these origins only, but for the endpoints that are for all. */
export function cors(origins: readonly string[], endpoints: readonly Endpoint[]): Cors {
    const allowed = new Set(origins);
    const forAll = endpoints
        .filter(({ document, problem }) => document || problem)
        .map(({ path, problem }) => ({ pattern: patternOf(path), problem }));
    return {
        allow({ request, headers }) {
            if (allowed.size === 0) return false;
            headers['Vary'] = 'Origin';
            const { origin } = request.headers;
            if (origin === undefined || !allowed.has(origin)) return false;
            headers['Access-Control-Allow-Origin'] = origin;
            headers['Access-Control-Expose-Headers'] = EXPOSED;
            return addPreflight({ request, headers });
        },

        allowAll(exchange) {
            const { url = '' } = exchange.request;
            const path = forAll.find(({ pattern }) => pattern.test(url));
            if (!path) return false;
            allowAnyOrigin(exchange);
            if (path.problem) exchange.problem = path.problem;
            return addPreflight(exchange);
        },
    };
}

/** Matches the targets of requests that have this path, in OpenAPI notation. */
function patternOf(path: string): RegExp {
    const anyParameters = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/?#]+');
    return new RegExp(`^${anyParameters}(?![^?#])`);
}

/** Says what a request may have, if this one asks for it. */
function addPreflight({ request, headers }: Pick<Exchange, 'request' | 'headers'>): boolean {
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false;
    Object.assign(headers, PREFLIGHT);
    return true;
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
