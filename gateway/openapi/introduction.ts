import { rateLimitsText } from '../../proto/tiers.ts';

/** The description of the whole interface, in Markdown. */
export const INTRODUCTION = `Issues, verifies and revokes digital credentials (PASETO v4 public tokens), keeps the keys of issuers, and seals credentials in wallets.

## Authentication

Send \`Authorization: Bearer <token>\` with each call. The token is an API key, for programs, or a session token, which a login returns. Each operation names those that it accepts. The operations under \`/internal\` are for trusted callers, such as your own back end: they send \`X-Internal-Secret\`. Most deployments do not publish these paths.

## The first key

A trusted caller registers an account. Its owner logs in and creates an API key, which no later answer shows again. If \`/internal\` is not published to you, ask whoever runs the service for a session token or a key.

\`\`\`sh
URL=https://credentials.example
TOKEN=$(curl -s $URL/internal/v1/auth/login -H 'Content-Type: application/json' \\
  -d '{"email":"ada@example.com","password":"a long pass phrase"}' | jq -r .data.token)
KEY=$(curl -s $URL/v1/keys/generate -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"name":"first"}' | jq -r .data.api_key)

# A program uses the key: it creates an issuer, in whose name it can then issue credentials.
curl -s $URL/v1/issuers -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"name":"Registrar","method":"web"}'
\`\`\`

The samples below use these variables, and \`SECRET\` for the internal secret.

## Answers

A success is \`{"status":"success","message","data"}\`. An error is \`{"status":"error","message","error"}\`, and programs read its kind from \`X-Error-Code\`. Bodies are JSON. Unknown fields are ignored, and \`null\` means the same as leaving an optional field out. Times are in UTC, as \`YYYY-MM-DDTHH:mm:ss.sssZ\`. Colons in paths may be sent as they are or as \`%3A\`. An unknown path is answered with 404, and an unsupported method with 405 and \`Allow\`.

## Rate limits

Every answer states the rate limit in \`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\`, but not a document for anybody (\`Cache-Control: public\`). Neither does such a document carry \`X-Request-Id\`, because proxies give it to others. Requests per minute, by tier: ${rateLimitsText()}.

## Repeating a call

After 429 a client may repeat any call, because the service has not started it. After a lost answer or a 503 the service may have executed the call, wholly or in part. A client may then repeat only a call with \`x-idempotent: true\`: the repeated call changes nothing more and gets the same answer. A call with \`x-idempotent: by-key\` creates something: a client may repeat it if it sends the same \`Idempotency-Key\` each time.`;
