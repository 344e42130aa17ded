/** The parts of the interface, by the beginning of the ids of their endpoints. */
const PARTS = {
    keys: {
        name: 'API keys',
        description: 'A session creates, lists, renames and revokes the API keys of its account.',
    },
    did: { name: 'DIDs', description: 'did:key identifiers of Ed25519 keys.' },
    credentials: {
        name: 'Credentials',
        description: 'Credentials are PASETO v4 public tokens that the service signs, verifies, revokes and lists.',
    },
    presentations: {
        name: 'Presentations',
        description: 'A presentation is a bundle of credentials that their holder signs for one verifier.',
    },
    wallets: { name: 'Wallets', description: 'A wallet holds credentials and a key pair, sealed under a password.' },
    me: { name: 'Current user', description: 'The account of the session, and its statistics.' },
    'internal.auth': { name: 'Internal: accounts', description: 'Registration and sessions, for trusted callers.' },
    'internal.admin': { name: 'Internal: administration', description: 'Administration of the whole platform.' },
    'internal.health': { name: 'Internal: health', description: 'The health of the service and its dependencies.' },
    internal: {
        name: 'Internal: operations',
        description:
            'The public operations for trusted callers, without limits. `X-On-Behalf-Of` names the account to act for.',
    },
};

export const TAGS = Object.values(PARTS);

/** The tag of an endpoint, from the first part of its id. */
export function tagOf(id: string): string {
    const part = Object.entries(PARTS).find(([prefix]) => id === prefix || id.startsWith(`${prefix}.`));
    if (part) return part[1].name;
    const begins = Object.keys(PARTS).join(', ');
    throw new Error(
        `The id ${id} belongs to no part: begin it with one of ${begins}, or add its part to gateway/openapi/tags.ts.`,
    );
}

export const INTRODUCTION = `Accounts, API keys, did:key identifiers, PASETO v4 credentials and presentations, sealed wallets.

A success is \`{"status":"success","message","data"}\`. An error is \`{"status":"error","message","error"}\`, and programs read its kind from \`X-Error-Code\`. Bodies are JSON. Unknown fields are ignored, and \`null\` means the same as leaving an optional field out. Times are in UTC, as \`YYYY-MM-DDTHH:mm:ss.sssZ\`. Colons in paths may be sent as they are or as \`%3A\`.

Every answer states the rate limit in \`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\`. Requests per minute, by tier: free 10, basic 100, pro 1,000, enterprise 10,000. An unknown path is answered with 404, and an unsupported method with 405 and \`Allow\`.

After 429 a client may repeat any call, because the service has not started it. After a lost answer or a 503 the service may have executed the call, wholly or in part. A client may then repeat only a call with \`x-idempotent: true\`: the repeated call changes nothing more and gets the same answer.`;
