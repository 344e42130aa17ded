import type { z } from 'zod';
import type { CallContext } from '../platform/context.ts';
import type { Scope } from '../proto/scopes.ts';
import type { DocumentType, PublicDocument } from './documents.ts';
import type { LineStream } from './exports/line-stream.ts';
import type { ListAnswer } from './lists.ts';
import type { Services } from './services.ts';

/**
 * The credentials that an endpoint requires:
 *
 * - `session`: a session token
 * - `bearer`: a session token or an API key
 * - `internal`: the internal secret
 * - `internal_session`: the internal secret and a session token. The endpoint itself checks the session token.
 * - `anonymous`: none. Calls without the internal secret count against the anonymous limit of their address: the login,
 *   public documents, and what wallets do without an access token.
 * - `wallet`: an access token that the role exchange has given to a wallet. The endpoint itself checks it.
 * - `public`: none. The call is never limited.
 */
export type Access = 'session' | 'bearer' | 'internal' | 'internal_session' | 'anonymous' | 'wallet' | 'public';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

export interface Input<Params, Query, Headers, Body> {
    params: Params;
    query: Query;
    headers: Headers;
    body: Body;
    /** The token in `Authorization: Bearer` or, of a wallet, `DPoP`, for endpoints that check it themselves. */
    bearer: string | undefined;
    /** True if a wallet has sent its token as `DPoP`. */
    sentAsDpop?: boolean;
    /** The IP address of the client, or the one that a trusted caller names. */
    ip: string;
    services: Services;
    context: CallContext;
}

/** API keys can call only the endpoints with access `bearer`, so exactly these name a scope. */
type Admits =
    | {
          access: 'bearer';
          /** What an API key with scopes must have. */
          scope: Scope;
      }
    | { access: Exclude<Access, 'bearer'>; scope?: never };

type Definition<Params, Query, Headers, Body, Answer extends z.ZodType> = Admits & {
    /** Unique. Names the endpoint in metrics, examples and the OpenAPI document. */
    id: string;
    /** What a call does, as a title. */
    summary: string;
    /** What else a caller should know, in Markdown. */
    description?: string;
    /**
     * True if a repeated call changes nothing more and gets the same answer, so that programs may repeat it. Every GET
     * is idempotent. An endpoint with `byKey` is idempotent by its key.
     */
    idempotent?: true;
    method: Method;
    /** In OpenAPI notation: `/v1/keys/{key_id}`. */
    path: string;
    status: 200 | 201;
    /** The envelope's `message` on success. */
    message: string;
    /** True if the answer is sent without the envelope. */
    bare?: true;
    /** True if the answer has an entity tag, so that a client that asks again for the same gets 304 without a body. */
    hasTag?: true;
    /**
     * Set if `call` returns a PublicDocument, which is sent without the envelope. Clients and proxies may keep it, and
     * scripts of every web page may read it. Use it with the access `anonymous`.
     */
    document?: DocumentType;
    params?: Params;
    query?: Query;
    /** Schema of the header fields that the endpoint reads, by lower-case name. */
    headers?: Headers;
    body?: Body;
    /**
     * Set if the body and the answer are lines of JSON (NDJSON). `call` then gets some lines at a time, in the list `sent`
     * of its body, and returns what to answer to each in the list `answered`, with its number `line` in the call. The other
     * fields of `body` and `answer` are not used.
     */
    lines?: { sent: string; answered: string };
    /** True if the answer is lines of JSON (NDJSON): `call` returns a LineStream, and `answer` is the schema of a line. */
    streams?: true;
    /**
     * True if the body is a form (application/x-www-form-urlencoded) of at most 8 KiB. Parameters that `body` does not name
     * are ignored, and empty ones are absent (RFC 6749, section 3.2). Its answers have `Pragma: no-cache` (section 5.1).
     */
    form?: true;
    /**
     * Set if errors have the form that wallets read, without the envelope (`http/oauth.ts`): the name of those that are about
     * the request itself. Scripts of every web page may call the endpoint. Use it with `bare`.
     */
    problem?: 'invalid_request' | 'invalid_credential_request' | 'invalid_notification_request';
    /** Largest body in bytes. Default: 1 MiB. Endpoints without credentials have a smaller limit. */
    maxBodyBytes?: number;
    /** Schema of `data`, or of the document. */
    answer: Answer;
    /** True if each success counts as a verified presentation. */
    countsAsVerified?: true;
    /** Name of the field in the parameters, the body or the answer that holds the id of the resource, for the log. */
    actsOn?: string;
    /** True if the endpoint hashes a password. Its duration then says nothing about how busy the gateway is. */
    hashesPassword?: true;
    /**
     * Set if the call creates something and can be repeated with its `Idempotency-Key`. `secret`: the answer contains a
     * secret, so the key must be long.
     */
    byKey?: true | 'secret';
    /** Set for a batch, of which only few are worked on at a time. Those of one kind share these places. */
    batch?: 'credentials' | 'users';
    /**
     * The number of requests that a call counts as: that of the items in its body, of a batch. Default: 1. The first of
     * them is counted before the body is read, and all others together when it has been parsed.
     */
    weight?(body: Output<Body>): number;
    /** Time limit in milliseconds. Default: ten seconds. */
    timeout_ms?: number;
    call(
        input: Input<Output<Params>, Output<Query>, Output<Headers>, Output<Body>>,
    ): Promise<z.input<Answer> | ListAnswer<z.input<Answer>> | PublicDocument | LineStream>;
};

/** An endpoint without its specific types, as the engine uses it. Its schemas validate the input of `call`. */
export type Endpoint = Definition<z.ZodType, z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

/** Declares an endpoint. Its schemas determine the types of `call`. */
export function endpoint<
    const Id extends string,
    Answer extends z.ZodType,
    Params extends z.ZodType | undefined = undefined,
    Query extends z.ZodType | undefined = undefined,
    Headers extends z.ZodType | undefined = undefined,
    Body extends z.ZodType | undefined = undefined,
>(definition: Definition<Params, Query, Headers, Body, Answer> & { id: Id }): Endpoint & { id: Id } {
    // The engine passes only values that these schemas have parsed.
    return definition as unknown as Endpoint & { id: Id };
}
