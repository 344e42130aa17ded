const PARTS = {
    keys: { name: 'API keys', description: 'Made, listed, renamed and revoked with a session.' },
    did: { name: 'DIDs', description: 'did:key identifiers of Ed25519 keys.' },
    credentials: { name: 'Credentials', description: 'Signed as PASETO v4 public tokens, verified, revoked, listed.' },
    presentations: { name: 'Presentations', description: 'Credentials bundled by their holder for one verifier.' },
    wallets: { name: 'Wallets', description: 'Credentials and a key pair, sealed under a password.' },
    me: { name: 'Current user', description: 'The account of the session, and its statistics.' },
    'internal.auth': { name: 'Internal: accounts', description: 'Registration and sessions, for trusted callers.' },
    'internal.admin': { name: 'Internal: administration', description: 'Of the whole platform.' },
    'internal.health': { name: 'Internal: health', description: 'Whether the service and what it needs is up.' },
    internal: {
        name: 'Internal: operations',
        description:
            'The public operations without limits, for trusted callers; with `X-On-Behalf-Of`, for an account.',
    },
};

export const TAGS = Object.values(PARTS);

/** The tag of an endpoint, from the first part of its id. */
export function tagOf(id: string): string {
    const part = Object.keys(PARTS).find((prefix) => id === prefix || id.startsWith(`${prefix}.`));
    return PARTS[part as keyof typeof PARTS].name; // every id begins with one of them
}

export const INTRODUCTION = `Accounts, API keys, did:key identifiers, PASETO v4 credentials and presentations, sealed wallets.

Answers are \`{"status":"success","message","data"}\` or \`{"status":"error","message","error"}\`; programs read the kind of an error from \`X-Error-Code\`. Bodies are JSON; fields that are not known are ignored, and \`null\` is the same as leaving an optional field out. Times are UTC, \`YYYY-MM-DDTHH:mm:ss.sssZ\`. Colons in paths may be sent as they are or as \`%3A\`.

Every answer tells the state of the limit in \`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\`. Requests per minute, by tier: free 10, basic 100, pro 1,000, enterprise 10,000. An unknown path is 404, another method 405 with \`Allow\`.

After 429 any call may be sent again. After a lost answer or a 503, which may come from the middle of a call, only those with \`x-idempotent: true\`: the same call again changes nothing more, and is answered the same.`;
