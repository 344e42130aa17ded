import { AppError, type ErrorKind } from '../../platform/errors.ts';
import { RATE_LIMITS } from '../../proto/tiers.ts';
import type { Access, Endpoint } from '../endpoint.ts';
import { MAX_FORM_BYTES } from '../http/body.ts';
import { MAX_BODY_BYTES } from '../http/body-length.ts';
import { MAX_HEADERS } from '../http/exchange.ts';
import { CHALLENGE_PATTERN, oauthProblem } from '../http/oauth.ts';

/** The errors that a client can see. `cancelled` is not one of them, because the client has then disconnected. */
export type RefusalKind = Exclude<ErrorKind, 'cancelled'>;

/** The description of each refusal, and a sample of its text. */
const REFUSALS: Record<RefusalKind, { when: string; detail: string }> = {
    invalid: {
        when: 'The path, the query, a header or the body is invalid. `error` names the first invalid field.',
        detail: 'name is required.',
    },
    unauthenticated: {
        when: 'The bearer token is missing, unknown, revoked or expired.',
        detail: 'The bearer token is unknown, revoked or expired.',
    },
    forbidden: { when: 'The caller is known, but may not do this.', detail: 'The caller may not do this.' },
    not_found: { when: 'It does not exist, or the caller may not see it.', detail: 'There is no such thing.' },
    method_not_allowed: {
        when: 'The path does not accept this method. `Allow` lists the methods.',
        detail: 'This path accepts GET, HEAD.',
    },
    request_timeout: {
        when: 'The request did not arrive in time.',
        detail: 'The request did not arrive in time.',
    },
    conflict: { when: 'The change conflicts with existing data.', detail: 'This email is already registered.' },
    unprocessable: {
        when: 'The `Idempotency-Key` was used for another request.',
        detail: 'This Idempotency-Key was used for another request.',
    },
    too_large: { when: 'The body is over 1 MiB.', detail: 'The body is larger than 1 MiB.' },
    unsupported_media_type: {
        when: 'The body is not declared as `application/json`, or it has a content coding.',
        detail: 'The body must be sent as application/json.',
    },
    rate_limited: {
        when: 'The rate limit is exceeded. `Retry-After` says how long to wait.',
        detail: `Limit of ${RATE_LIMITS.free} requests per minute exceeded. Try again in 42 seconds.`,
    },
    headers_too_large: {
        when: `More than ${MAX_HEADERS} header fields, or more than 16 KiB of them.`,
        detail: `A request may have at most ${MAX_HEADERS} header fields.`,
    },
    internal: {
        when: 'An unexpected error. It is logged under the `X-Request-Id`.',
        detail: 'The request could not be completed because of an internal error.',
    },
    unavailable: {
        when: 'The service is overloaded, or a dependency is unavailable. `Retry-After` says how long to wait.',
        detail: 'The service is at capacity. Try again shortly.',
    },
    deadline: { when: 'The call took too long.', detail: 'The request took too long. Try again shortly.' },
};

export const KINDS = Object.keys(REFUSALS) as RefusalKind[]; // its keys are all kinds

/** The refusals that every endpoint can give to any caller. */
const ALWAYS: readonly RefusalKind[] = [
    'invalid',
    'request_timeout',
    'too_large',
    'unsupported_media_type',
    'headers_too_large',
    'internal',
    'unavailable',
];

const BY_ACCESS: Record<Access, readonly RefusalKind[]> = {
    session: ['unauthenticated', 'rate_limited'],
    bearer: ['unauthenticated', 'forbidden', 'rate_limited'],
    internal: ['unauthenticated', 'rate_limited'],
    internal_session: ['unauthenticated', 'rate_limited'],
    anonymous: ['rate_limited'],
    wallet: ['unauthenticated', 'rate_limited'],
    public: [],
};

/** The name of each refusal in `components.responses`, such as `RateLimited`. */
export function responseName(kind: RefusalKind): string {
    return kind.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function statusOf(kind: RefusalKind): number {
    return new AppError(kind, '', { reason: undefined }).httpStatus;
}

/** All refusals of an endpoint, by status: the common ones, those of its access, and its own. */
export function refusalsOf(
    { access, form }: Pick<Endpoint, 'access' | 'form'>,
    own: readonly RefusalKind[],
): RefusalKind[] {
    const all = new Set([...ALWAYS, ...BY_ACCESS[access], ...own]);
    if (form) all.delete('unsupported_media_type'); // any other body is `invalid` (gateway/http/body.ts)
    return [...all].sort((one, other) => statusOf(one) - statusOf(other));
}

/** When every endpoint with this access refuses, if its refusals differ from those of the others. */
export function accessRefusal(access: Access, kind: RefusalKind): string | undefined {
    if (access !== 'internal') return undefined;
    if (kind === 'unauthenticated') return 'The internal secret is missing or wrong.';
    if (kind === 'rate_limited') return 'The internal secret is missing or wrong, and the address has no calls left.';
    return undefined;
}

/** When an endpoint of wallets refuses, if its refusals differ from those of the others. */
export function walletRefusal(kind: RefusalKind, { form, maxBodyBytes }: Endpoint): string | undefined {
    if (kind === 'invalid') return '`error` says what is wrong with the request.';
    if (kind !== 'too_large') return undefined;
    return `The body is over ${(form ? MAX_FORM_BYTES : (maxBodyBytes ?? MAX_BODY_BYTES)) >> 10} KiB.`;
}

const WAITS: readonly RefusalKind[] = ['rate_limited', 'unavailable', 'deadline'];

/** A refusal in the form of the document. An endpoint can replace the text `when`. */
export function refusal(kind: RefusalKind, { when, problem }: { when?: string; problem?: string | undefined } = {}) {
    const error = new AppError(kind, REFUSALS[kind].detail, { reason: undefined });
    const media = problem
        ? { schema: { $ref: '#/components/schemas/WalletError' }, example: walletExample(error, problem) }
        : {
              schema: { $ref: '#/components/schemas/Error' },
              example: { status: 'error', message: error.summary, error: error.detail },
          };
    return {
        description: when || REFUSALS[kind].when,
        headers: problem && kind === 'unauthenticated' ? { ...headersOf(kind), ...CHALLENGES } : headersOf(kind),
        content: { 'application/json': media },
    };
}

function walletExample(error: AppError, problem: string): unknown {
    return JSON.parse(oauthProblem(error, problem, { headers: {} }).text);
}

/** References to the header fields of a document that proxies may keep: none of them belongs to the client who asked. */
export function documentHeaders(): Record<string, { $ref: string }> {
    return references(['Cache-Control', 'ETag']);
}

/** References to the header fields of an answer: of a refusal of this kind, or of a success. */
export function headersOf(kind?: RefusalKind): Record<string, { $ref: string }> {
    const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];
    if (kind) names.push('X-Error-Code');
    if (kind === 'unauthenticated') names.push('WWW-Authenticate');
    if (kind === 'method_not_allowed') names.push('Allow');
    if (kind && WAITS.includes(kind)) names.push('Retry-After');
    return references(names);
}

/** What wallets get instead of the usual challenge. */
const CHALLENGES = { 'WWW-Authenticate': { $ref: '#/components/headers/WalletChallenges' } };

function references(names: readonly string[]): Record<string, { $ref: string }> {
    return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const whole = { type: 'integer', minimum: 0 };

export const HEADERS = {
    'X-RateLimit-Limit': { description: 'Requests per minute.', schema: whole, example: RATE_LIMITS.pro },
    'X-RateLimit-Remaining': {
        description: 'Requests left in this window.',
        schema: whole,
        example: RATE_LIMITS.pro - 3,
    },
    'X-RateLimit-Reset': {
        description: 'When the window ends: Unix time, in seconds.',
        schema: whole,
        example: 1_795_208_902,
    },
    'X-Request-Id': {
        description: "The request's id: the one that was sent, or a new one.",
        schema: { type: 'string' },
        example: '01a1fac9-0ed1-7000-8180-dc6b04c79bd9',
    },
    'X-Error-Code': {
        description: 'The kind of refusal, for programs.',
        schema: { type: 'string', enum: KINDS },
        example: 'invalid',
    },
    'Retry-After': { description: 'Seconds to wait.', schema: whole, example: 42 },
    'WWW-Authenticate': {
        description: 'The required authentication scheme.',
        schema: { type: 'string', const: 'Bearer' },
        example: 'Bearer',
    },
    WalletChallenges: {
        description: 'The schemes that a wallet may use, and what is wrong with the token that it has sent.',
        schema: { type: 'string', pattern: CHALLENGE_PATTERN },
        example: oauthProblem(new AppError('unauthenticated', ''), '', { headers: {} }).headers['WWW-Authenticate'],
    },
    'Idempotent-Replayed': {
        description: 'Present if the answer repeats the one of an earlier call with this `Idempotency-Key`.',
        schema: { type: 'string', const: 'true' },
        example: 'true',
    },
    'Cache-Control': {
        description: 'For how long clients and proxies may keep the document, in seconds.',
        schema: { type: 'string' },
        example: 'public, max-age=60',
    },
    ETag: {
        description:
            'Names this version of the body. `If-None-Match` with it is answered with 304 while it is current.',
        schema: { type: 'string' },
        example: '"Hk2ImXJ5ihvwk8uDTYhBDg"',
    },
    Allow: { description: 'The methods of this path.', schema: { type: 'string' }, example: 'GET, HEAD' },
    Link: {
        description: 'The next page: `<…>; rel="next"`. Absent on the last page.',
        schema: { type: 'string' },
        example: '</v1/keys?limit=100&cursor=MDFh>; rel="next"',
    },
};
