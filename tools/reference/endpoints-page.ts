import type { Access, Endpoint } from '../../gateway/endpoint.ts';
import { type InterfacePart, interfaceParts } from '../../gateway/endpoints/index.ts';
import { rateLimitsText } from '../../proto/tiers.ts';
import { table } from './table.ts';

const CALLERS: Record<Access, string> = {
    session: 'session token',
    bearer: 'session token or API key',
    internal: 'internal secret',
    internal_session: 'internal secret and session token',
    anonymous: 'anyone',
    wallet: 'wallet with an access token',
    public: 'anyone',
};

/** The text of docs/reference/endpoints.md: every endpoint, by part of the interface. */
export function endpointsPage(): string {
    const parts = interfaceParts({ version: '', cache: async () => {}, clock: Date.now });
    return `${HEADER}\n${parts.map(section).join('\n')}`;
}

const HEADER = `# Endpoints

\`npm run reference\` writes this page from the endpoint table. The running service describes each endpoint with its
fields, errors and examples at \`/docs\`, and for programs at \`/openapi.json\`.

A success is \`{"status":"success","message","data"}\`. An error is \`{"status":"error","message","error"}\`, with its
code in \`X-Error-Code\`. Every answer carries \`X-Request-Id\` and the state of the rate limit: \`X-RateLimit-Limit\`,
\`-Remaining\` and \`-Reset\`. Documents for anybody (\`Cache-Control: public\`) carry none of these, because proxies give
them to others. Each tier allows this many requests per minute: ${rateLimitsText()}.

"May be repeated" says whether a client may send a call again if it does not know the outcome. "With its key" means the
same [\`Idempotency-Key\`](../guides/idempotency.md).
`;

function section({ name, description, endpoints }: InterfacePart): string {
    const rows = endpoints.map((endpoint) => [
        `\`${endpoint.method} ${endpoint.path}\``,
        endpoint.summary,
        CALLERS[endpoint.access],
        repeatable(endpoint),
    ]);
    return `## ${name}\n\n${description}\n\n${table(['Endpoint', 'What it does', 'Who may call it', 'May be repeated'], rows)}`;
}

/** When a client may repeat a call whose outcome is unknown. */
function repeatable({ method, byKey, idempotent }: Endpoint): string {
    if (byKey) return 'with its key';
    return method === 'GET' || idempotent ? 'yes' : 'no';
}
