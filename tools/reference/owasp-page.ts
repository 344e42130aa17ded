import type { Access, Endpoint } from '../../gateway/endpoint.ts';
import { endpointTable } from '../../gateway/endpoints/index.ts';
import { isVariant, operationOf } from '../../gateway/openapi/operations/index.ts';
import { table } from './table.ts';

/** What `access` alone decides: what the caller presents (API2), which limit counts the call (API4), who may call. */
const BY_ACCESS: Record<Access, { presents: readonly string[]; limit: string; callers: string }> = {
    session: { presents: ['session'], limit: 'account', callers: 'session only' },
    bearer: { presents: ['session or key'], limit: 'key or account', callers: 'any account' },
    internal: { presents: ['secret'], limit: 'body, time', callers: 'trusted' },
    internal_session: { presents: ['secret', 'session'], limit: 'body, time', callers: 'trusted' },
    login: { presents: [], limit: 'address', callers: 'everybody' },
    public: { presents: [], limit: 'body, time', callers: 'everybody' },
};

const COLUMNS = ['Endpoint', ...Array.from({ length: 10 }, (_, index) => `API${index + 1}`)];

/** The text of docs/reference/owasp.md: every endpoint against each item of the OWASP API Security Top 10. */
export function owaspPage(): string {
    const endpoints = endpointTable({ version: '', cache: async () => {}, clock: Date.now });
    return `${HEADER}\n${table(COLUMNS, endpoints.map(row))}`;
}

const HEADER = `# Endpoints and the OWASP API Security Top 10

\`npm run reference\` writes this page from the endpoint table and from \`owasp\` in the notes of the endpoints
(\`gateway/openapi/operations/\`). [Security](../security.md#owasp-api-security-top-10-2023) explains the cells.
`;

function row({ id, method, path, access }: Endpoint): string[] {
    const { presents, limit, callers } = BY_ACCESS[access];
    const { owasp } = operationOf(id);
    const presented = [...presents, ...(owasp.presents ? [owasp.presents] : [])].join(', ');
    const items = [objectsOf(id), presented || 'none', 'fields', limit, callers, slowedBy(id), '–', 'yes', 'yes', '–'];
    return [`\`${method} ${path}\``, ...items];
}

/** API1. The caller of an internal variant has no account: it names one. */
function objectsOf(id: string): string {
    const { objects } = operationOf(id).owasp;
    if (objects === 'none') return '–';
    return isVariant(id) && objects !== 'public' ? 'named' : objects;
}

/** API6. Wrong passwords are counted in every call. Internal variants have no limits, but only trusted callers. */
function slowedBy(id: string): string {
    const { presents, slowedBy } = operationOf(id).owasp;
    if (presents === 'password') return 'guesses';
    if (!slowedBy) return '–';
    return isVariant(id) ? 'trusted' : slowedBy;
}
