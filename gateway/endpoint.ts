import type { z } from 'zod';
import type { CallContext } from '../platform/context.ts';
import type { ListAnswer } from './lists.ts';
import type { Services } from './services.ts';

/**
 * Who may call: `session`, a session token; `bearer`, a session token or an API key; `internal`, the internal secret;
 * `internal_session`, the secret and a session token, which the endpoint itself checks; `login` and `public`, anybody.
 */
export type Access = 'session' | 'bearer' | 'internal' | 'internal_session' | 'login' | 'public';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

export interface Input<Params, Query, Headers, Body> {
    params: Params;
    query: Query;
    headers: Headers;
    body: Body;
    /** The token in `Authorization: Bearer`, for endpoints that judge it themselves. */
    bearer: string | undefined;
    services: Services;
    context: CallContext;
}

interface Definition<Params, Query, Headers, Body, Answer extends z.ZodType> {
    /** Unique. Names the endpoint in metrics, examples and the OpenAPI document. */
    id: string;
    method: Method;
    /** In OpenAPI notation: `/v1/keys/{key_id}`. */
    path: string;
    access: Access;
    status: 200 | 201;
    /** The envelope's `message` on success. */
    message: string;
    /** True if the answer is sent without the envelope. */
    bare?: true;
    params?: Params;
    query?: Query;
    /** Schema of the header fields that it reads, by lower-case name. */
    headers?: Headers;
    body?: Body;
    /** Largest body in bytes, if not the usual 1 MiB. Endpoints that anybody may call have a smaller one. */
    max_body_bytes?: number;
    /** Schema of `data`. */
    answer: Answer;
    /** True if each success counts as a verified presentation. */
    counts_as_verified?: true;
    /** The parameter, or the member of the body or answer, with the id of the resource. The log line shows it. */
    acts_on?: string;
    /** True if the endpoint hashes a password. Its duration then says nothing about how busy the gateway is. */
    hashes_password?: true;
    /** Time limit in milliseconds, if not the usual ten seconds. */
    timeout_ms?: number;
    call(
        input: Input<Output<Params>, Output<Query>, Output<Headers>, Output<Body>>,
    ): Promise<z.input<Answer> | ListAnswer<z.input<Answer>>>;
}

/** An endpoint as the engine sees it: its schemas guarantee what `call` receives. */
export type Endpoint = Definition<z.ZodType, z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

/** Declares an endpoint; `call` is typed by the schemas beside it. */
export function endpoint<
    const Id extends string,
    Answer extends z.ZodType,
    Params extends z.ZodType | undefined = undefined,
    Query extends z.ZodType | undefined = undefined,
    Headers extends z.ZodType | undefined = undefined,
    Body extends z.ZodType | undefined = undefined,
>(definition: Definition<Params, Query, Headers, Body, Answer> & { id: Id }): Endpoint & { id: Id } {
    // The engine passes `call` exactly what these schemas parsed.
    return definition as unknown as Endpoint & { id: Id };
}
