import type { Access, Endpoint } from '../endpoint.ts';

/** Any one of these suffices. Each names its schemes, with the scopes that they need. */
export type Security = Array<Record<string, string[]>>;

const SECURITY: Record<Access, Security> = {
    session: [{ session: [] }],
    bearer: [{ session: [] }, { api_key: [] }], // with the scope of the endpoint
    internal: [{ internal_secret: [] }],
    internal_session: [{ internal_secret: [], session: [] }],
    anonymous: [],
    wallet: [{ access_token: [] }],
    public: [],
};

export const SECURITY_SCHEMES = {
    session: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'Session token from a login.',
    },
    api_key: { type: 'http', scheme: 'bearer', description: 'API key: `<brand>_live_…` or `<brand>_test_…`.' },
    access_token: {
        type: 'http',
        scheme: 'bearer',
        description: 'Access token of a wallet, as `Bearer` or, with a proof in the header field `DPoP`, as `DPoP`.',
    },
    internal_secret: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Internal-Secret',
        description: 'Secret of trusted callers.',
    },
};

/** OpenAPI 3.1 lists the required roles of an API key in its security requirement. Here they are scopes. */
export function securityOf({ access, scope }: Endpoint): Security {
    return SECURITY[access].map((scheme) => ('api_key' in scheme && scope ? { api_key: [scope] } : scheme));
}
