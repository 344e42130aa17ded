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
    anonymous: { presents: [], limit: 'address', callers: 'everybody' },
    wallet: { presents: ['access token'], limit: 'token, address', callers: 'who has an offer' },
    public: { presents: [], limit: 'body, time', callers: 'everybody' },
};

const COLUMNS = ['Endpoint', 'API1', 'API2', 'API4', 'API5', 'API6'];

/** The text of docs/reference/owasp.md: every endpoint against each item of the OWASP API Security Top 10. */
export function owaspPage(): string {
    const endpoints = endpointTable({ version: '', cache: async () => {}, clock: Date.now });
    return `${HEADER}\n${table(COLUMNS, endpoints.map(row))}`;
}

const HEADER = `# Endpoints and the OWASP API Security Top 10

\`npm run reference\` writes this page from the endpoint table and from \`owasp\` in the notes of the endpoints
(\`gateway/openapi/operations/\`). The items that are missing here hold for every endpoint in the same way:
[security](../security.md#owasp-api-security-top-10-2023). "–" means that the item does not apply.

- **API1**, whose objects: \`own\`, of the caller's account; another account's key or wallet is 404, its credential 403 to
  revoke. \`own part\`, the rows that concern the caller. \`named\`, of the account in \`X-On-Behalf-Of\`, or of any
  account without it. \`public\`, readable for every authenticated caller (D2, C12).
- **API2**, what the caller must present.
- **API4**, the rate limit that counts the call. \`body, time\`: no rate limit, but bounds on size and time.
- **API5**, who may call.
- **API6**, what slows down an automated flow: \`guesses\` are counted per subject and address; the \`key limit\` of the
  account; its \`rate\` limit; or only \`trusted\` callers may start it.
`;

function row({ id, method, path, access }: Endpoint): string[] {
    const { presents, limit, callers } = BY_ACCESS[access];
    const { owasp } = operationOf(id);
    const presented = [...presents, ...(owasp.presents ? [owasp.presents] : [])].join(', ');
    return [`\`${method} ${path}\``, objectsOf(id), presented || 'none', limit, callers, slowedBy(id)];
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
