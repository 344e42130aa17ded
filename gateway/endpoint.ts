import type { z } from 'zod';
import type { CallContext } from '../platform/context.ts';
import type { ListAnswer } from './lists.ts';
import type { Services } from './services.ts';

/**
 * Who may call: `session`, a session token; `any`, that or an API key; `internal`, the internal secret; `internal_session`,
 * the secret and a session token, which the endpoint itself judges; `login` and `none`, anybody (health is `none`).
 */
export type Access = 'session' | 'any' | 'internal' | 'internal_session' | 'login' | 'none';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

export interface Input<Params, Query, Headers, Body> {
    params: Params;
    query: Query;
    headers: Headers;
    body: Body;
    /** What `Authorization: Bearer` carried, where the endpoint judges it itself. */
    bearer: string | undefined;
    services: Services;
    context: CallContext;
}

interface Definition<Params, Query, Headers, Body, Answer extends z.ZodType> {
    /** Unique; names the endpoint in metrics, examples and the OpenAPI document. */
    id: string;
    method: Method;
    /** In the interface's own notation: `/v1/keys/{key_id}`. */
    path: string;
    access: Access;
    status: 200 | 201;
    /** The envelope's `message` on success. */
    message: string;
    /** Whether the answer stands alone, without the envelope. */
    bare?: true;
    params?: Params;
    query?: Query;
    /** Of the header fields that it reads, by their names in lower case. */
    headers?: Headers;
    body?: Body;
    /** The largest body in bytes, where it is not the usual 1 MiB: for what anybody may call. */
    max_body_bytes?: number;
    /** The shape of `data`. */
    answer: Answer;
    /** Whether each success counts as a presentation that was verified. */
    counts_as_verified?: true;
    /** The parameter, or the member of body or answer, that names what is acted on: it stands in the log. */
    acts_on?: string;
    /** Whether it waits for a password to be hashed: the time it takes says nothing of how busy the gateway is. */
    hashes?: true;
    /** How long it may take, in milliseconds, where it is not the usual ten seconds. */
    timeout_ms?: number;
    call(
        input: Input<Output<Params>, Output<Query>, Output<Headers>, Output<Body>>,
    ): Promise<z.input<Answer> | ListAnswer<z.input<Answer>>>;
}

/** An endpoint as the engine sees it: its schemas have made sure of what `call` is given. */
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
    // The engine hands `call` exactly what these schemas parsed.
    return definition as unknown as Endpoint & { id: Id };
}
