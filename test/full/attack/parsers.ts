import { parseApiKey } from '../../../platform/access/api-key.ts';
import { readIdempotencyKey } from '../../../platform/access/idempotency-key.ts';
import { sessionTokenVerifier } from '../../../platform/access/session-token.ts';
import { decodeBase64, decodeBase64Url } from '../../../platform/base64.ts';
import { parseJson, topLevelString } from '../../../platform/json.ts';
import { FRAME_METHOD } from '../../../platform/rpc/frames/frames.ts';
import { readTraceparent } from '../../../platform/telemetry/span.ts';
import { isId } from '../../../platform/uuid.ts';
import { CreateUsersRequest } from '../../../proto/gen/identity/v1/identity.ts';
import { formsOf, normaliseEmail, requireEmail } from '../../../services/identity/email.ts';
import { requireComparablePassword, requireNewPassword } from '../../../services/identity/password-rules.ts';
import { requireJsonObject } from '../../../services/json-object.ts';
import { requireName, requireText } from '../../../services/texts.ts';
import { readPayload as readCredential } from '../../../tokens/credential.ts';
import { uuidOf } from '../../../tokens/credential-id.ts';
import { decodeDidKey, isDid } from '../../../tokens/did-key.ts';
import { readPayload as readPresentation } from '../../../tokens/presentation.ts';
import { outOfTime, readDateTime, readExpiry } from '../../../tokens/times.ts';
import { isToken, splitToken } from '../../../tokens/v4-public.ts';
import { isIssuerWebDid } from '../../../tokens/web-did.ts';
import { verifyPassword } from '../../../workers/crypto/password.ts';
import { readPhc } from '../../../workers/crypto/phc.ts';
import { openToken } from '../../../workers/crypto/signature-jobs.ts';
import { GATEWAY_PARSERS } from './gateway-parsers.ts';
import { base64, CLAIMS, filled, HEADER, letters, MIB, type Parser, tokens, values } from './parser-inputs.ts';
import { RULE_PARSERS } from './rule-parsers.ts';
import { SD_JWT_PARSERS } from './sd-jwt-parsers.ts';
import { WORST_JSON } from './worst-texts.ts';

const UTF8 = new TextEncoder();
const verifier = sessionTokenVerifier({ keys: [], clock: Date.now });

/** Every function that parses input from unknown callers. A test compares this with the code. */
export const PARSERS: readonly Parser[] = [
    ...GATEWAY_PARSERS,
    {
        at: 'platform/json.ts:parseJson',
        longest: MIB,
        worst: WORST_JSON,
        run: (text) => parseJson(text, { raw: new Set(['claims']) }),
    },
    {
        at: 'platform/json.ts:topLevelString',
        longest: MIB,
        worst: WORST_JSON,
        run: (text) => topLevelString(text, 'iss'),
    },
    { at: 'platform/base64.ts:decodeBase64', longest: MIB, worst: base64, run: decodeBase64 },
    { at: 'platform/base64.ts:decodeBase64Url', longest: MIB, worst: base64, run: decodeBase64Url },
    {
        at: 'platform/access/api-key.ts:parseApiKey',
        longest: HEADER,
        worst: { ...letters, key: filled('cred_test_', 'a') },
        run: (text) => parseApiKey(text, { brand: 'cred', environment: 'test' }),
    },
    {
        at: 'platform/access/idempotency-key.ts:readIdempotencyKey',
        longest: HEADER,
        worst: { ...values, escapes: filled('"', '\\\\', '"'), quotes: filled('', '"') },
        run: readIdempotencyKey,
    },
    { at: 'platform/uuid.ts:isId', longest: MIB, worst: { ...letters, digits: filled('', '0') }, run: isId },
    {
        at: 'platform/access/session-token.ts:verify',
        longest: HEADER,
        worst: values,
        run: (text) => verifier.verify(text, 'either'),
    },
    { at: 'platform/telemetry/span.ts:readTraceparent', longest: HEADER, worst: values, run: readTraceparent },
    {
        at: 'platform/rpc/frames/frames.ts:FRAME_METHOD',
        longest: 4 * MIB,
        worst: { zeros: filled('', '\0'), calls: filled('', '\n\0'), ids: filled('', '*\x01\x01') },
        run: (text) => FRAME_METHOD.requestDeserialize(Buffer.from(text, 'latin1')),
    },
    {
        at: 'platform/rpc/definition.ts:decodeRequest',
        longest: 4 * MIB,
        worst: { users: filled('', '\n\0'), texts: filled('', '\n\x02\n\0') },
        run: (text) => CreateUsersRequest.decode(UTF8.encode(text)),
    },
    {
        at: 'tokens/credential-id.ts:uuidOf',
        longest: MIB,
        worst: { ...letters, urn: filled('urn:uuid:', '0') },
        run: uuidOf,
    },
    {
        at: 'tokens/credential.ts:readPayload',
        longest: MIB,
        worst: letters,
        run: (text) => readCredential({ payload: { typ: 'credential', jti: text }, raw: {} }),
    },
    {
        at: 'tokens/presentation.ts:readPayload',
        longest: MIB,
        worst: letters,
        run: (text) => readPresentation({ typ: 'presentation', jti: 'x', iss: text }),
    },
    {
        at: 'services/identity/email.ts:requireEmail',
        longest: MIB,
        worst: { ...letters, ats: filled('', '@'), labels: filled('a@', 'a.'), hyphens: filled('a@a', '-', '.b') },
        run: requireEmail,
    },
    {
        at: 'services/identity/email.ts:normaliseEmail',
        longest: MIB,
        worst: { ...letters, ligatures: filled('', '\ufdfa'), 'combining marks': filled('a', '\u0301\u0323') },
        run: normaliseEmail,
    },
    {
        at: 'services/identity/email.ts:formsOf',
        longest: MIB,
        worst: {
            ...letters,
            sigmas: filled('', 'σ'),
            domains: filled('a@', 'σ.'),
            'long label': filled('a@', 'ü', '.de'),
        },
        run: formsOf,
    },
    {
        at: 'services/identity/password-rules.ts:requireNewPassword',
        longest: MIB,
        worst: letters,
        run: requireNewPassword,
    },
    {
        at: 'services/identity/password-rules.ts:requireComparablePassword',
        longest: MIB,
        worst: letters,
        run: requireComparablePassword,
    },
    {
        at: 'services/json-object.ts:requireJsonObject',
        longest: CLAIMS,
        worst: WORST_JSON,
        run: (text) => requireJsonObject('claims', text, CLAIMS),
    },
    {
        at: 'services/texts.ts:requireText',
        longest: MIB,
        worst: letters,
        run: (text) => requireText('reason', text, 2_000),
    },
    {
        at: 'services/texts.ts:requireName',
        longest: MIB,
        worst: { ...letters, blanks: filled('', ' ', 'x') },
        run: requireName,
    },
    {
        at: 'tokens/times.ts:readDateTime',
        longest: MIB,
        worst: { ...letters, digits: filled('2026-01-01T00:00:00.', '1', 'Z') },
        run: readDateTime,
    },
    {
        at: 'tokens/times.ts:readExpiry',
        longest: MIB,
        worst: { ...letters, digits: filled('2026-01-01T00:00:00.', '1', 'Z') },
        run: readExpiry,
    },
    { at: 'tokens/times.ts:outOfTime', longest: MIB, worst: letters, run: (text) => outOfTime({ exp: text }, 0) },
    {
        at: 'tokens/did-key.ts:decodeDidKey',
        longest: MIB,
        worst: { ...letters, digits: filled('did:key:z6Mk', 'z') },
        run: decodeDidKey,
    },
    {
        at: 'tokens/web-did.ts:isIssuerWebDid',
        longest: MIB,
        worst: {
            ...letters,
            colons: filled('did:web:', ':'),
            dots: filled('did:web:a', ':.'),
            path: filled('did:web:a', ':a'),
        },
        run: isIssuerWebDid,
    },
    {
        at: 'tokens/did-key.ts:isDid',
        longest: MIB,
        worst: { ...letters, colons: filled('did:web:', ':'), escapes: filled('did:web:', '%41', '%') },
        run: isDid,
    },
    {
        at: 'workers/crypto/password.ts:verifyPassword',
        longest: MIB,
        worst: { ...letters, hash: filled('$argon2id$v=19$m=8,t=1,p=1$', 'a') },
        run: (text) => verifyPassword(text, 'password'),
    },
    {
        at: 'workers/crypto/phc.ts:readPhc',
        longest: MIB,
        worst: { ...letters, hash: filled('$scrypt$ln=10,r=8,p=1$', 'a') },
        run: readPhc,
    },
    { at: 'tokens/v4-public.ts:isToken', longest: MIB, worst: tokens, run: isToken },
    {
        at: 'tokens/v4-public.ts:splitToken',
        longest: MIB,
        worst: tokens,
        run: (text) => splitToken(text, { decodeBase64Url }),
    },
    {
        at: 'workers/crypto/signature-jobs.ts:openToken',
        longest: MIB,
        worst: tokens,
        run: (token) => openToken({ token, members: ['iss'], raw: ['claims'] }),
    },
    ...RULE_PARSERS,
    ...SD_JWT_PARSERS,
];
