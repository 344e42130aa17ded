import { answerOf, type RateLimit, rateLimitOf } from './answer.ts';
import { readBaseUrl } from './base-url.ts';
import type { Api } from './gen/operations.ts';
import { type Invoke, methodsOf, type Stream } from './methods.ts';
import type { CallOptions, Operation } from './operation.ts';
import { answered, receive, type Send, whole } from './receive.ts';
import { type Credentials, type Input, type WireRequest, wireRequest } from './request.ts';
import { retrying } from './retry.ts';
import { linesOf } from './stream.ts';
import { timeLimit } from './time-limit.ts';

export type { RateLimit, ResponseInfo } from './answer.ts';
export type { Call, ListMethod } from './call.ts';
export { AddressError, ApiError, ConnectionError } from './errors.ts';
export type { Api } from './gen/operations.ts';
export type * from './gen/types.ts';
export type { CallOptions } from './operation.ts';
export type { Send } from './receive.ts';
export type { Credentials } from './request.ts';

/** Default time limit of a call, in milliseconds. */
const TIMEOUT_MS = 30_000;

export interface ClientOptions extends Credentials {
    /** The URL of the service: `https://credentials.example`. */
    base_url: string;
    /** Time limit of a call, including all retries and waits, in milliseconds. Default: 30,000. */
    timeout_ms?: number;
    /**
     * Maximum number of times that a call is tried. Only a call that is safe to repeat is tried again. Default: 4, and
     * as often as there is time for if the service could not be reached.
     */
    tries?: number;
    /** Replaces the global `fetch`, to observe requests or to send them by other means. */
    fetch?: Send;
}

export interface Client extends Api {
    /** This client with other credentials and its own `rate_limit`. Options that are not given stay the same. */
    as(credentials: Credentials): Client;
    /**
     * The state of the rate limit from the latest answer to this client, whichever call that was. Undefined before the
     * first answer.
     */
    readonly rate_limit: RateLimit | undefined;
}

/** Creates a client of the service at `base_url`. Its methods return the data of a success, and throw otherwise. */
export function createClient(options: ClientOptions): Client {
    const { timeout_ms = TIMEOUT_MS, tries, fetch: send = (url, init) => fetch(url, init) } = options;
    const baseUrl = readBaseUrl(options.base_url);
    let rateLimit: RateLimit | undefined;

    /** Makes a call, with its retries. `read` reads the answer that an attempt gets. */
    async function called<Result>(
        operation: Operation,
        {
            input,
            call,
            read,
        }: { input: Input; call: CallOptions; read(wire: WireRequest, signal: AbortSignal): Promise<Result> },
    ): Promise<Result> {
        const request = wireRequest(operation, input, {
            base_url: baseUrl,
            credentials: options,
            request_id: call.request_id,
            idempotency_key: call.idempotency_key,
        });
        const time = timeLimit(call.timeout_ms ?? timeout_ms, call.signal);
        try {
            time.signal.throwIfAborted();
            const attempt = () => read(request, time.signal);
            return await retrying(attempt, { tries, idempotent: operation.idempotent !== false, time });
        } finally {
            time.close();
        }
    }

    const note = ({ headers }: Pick<Response, 'headers'>): void => {
        rateLimit = rateLimitOf(headers) ?? rateLimit;
    };

    const invoke: Invoke = (operation, input, call = {}) =>
        called(operation, {
            input,
            call,
            async read(request, signal) {
                const received = await receive(send, request, signal);
                note(received);
                return answerOf(received, operation);
            },
        });

    const stream: Stream = async function* (operation, input, call = {}) {
        const response = await called(operation, {
            input,
            call,
            async read(request, signal) {
                const begun = await answered(send, request, signal);
                note(begun);
                if (begun.status >= 300) answerOf(await whole(begun, signal), operation); // throws the refusal
                return begun;
            },
        });
        yield* linesOf(response, { timeout_ms: call.timeout_ms ?? timeout_ms, signal: call.signal });
    };

    return Object.defineProperty(
        {
            ...methodsOf(invoke, stream),
            as: (credentials: Credentials) => createClient({ ...options, ...credentials }),
        },
        'rate_limit',
        { get: () => rateLimit, enumerable: true },
    ) as Client; // TypeScript does not see the property that defineProperty adds
}
