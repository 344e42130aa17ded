/** The description of the whole interface, in Markdown. */
export const INTRODUCTION = `Accounts, API keys, did:key identifiers, PASETO v4 credentials and presentations, sealed wallets.

A success is \`{"status":"success","message","data"}\`. An error is \`{"status":"error","message","error"}\`, and programs read its kind from \`X-Error-Code\`. Bodies are JSON. Unknown fields are ignored, and \`null\` means the same as leaving an optional field out. Times are in UTC, as \`YYYY-MM-DDTHH:mm:ss.sssZ\`. Colons in paths may be sent as they are or as \`%3A\`.

Every answer states the rate limit in \`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\`. Requests per minute, by tier: free 10, basic 100, pro 1,000, enterprise 10,000. An unknown path is answered with 404, and an unsupported method with 405 and \`Allow\`.

After 429 a client may repeat any call, because the service has not started it. After a lost answer or a 503 the service may have executed the call, wholly or in part. A client may then repeat only a call with \`x-idempotent: true\`: the repeated call changes nothing more and gets the same answer. A call with \`x-idempotent: by-key\` creates something: a client may repeat it if it sends the same \`Idempotency-Key\` each time.`;
