/** How an operation of the service is sent. */
export interface Operation {
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
    /** With the names of inputs in braces: `/v1/keys/{key_id}`. */
    path: string;
    /** The credentials that it is sent with, if the client has them. */
    credentials: ReadonlyArray<'token' | 'internal_secret'>;
    /** True if it may be repeated when its outcome is unknown. */
    idempotent: boolean;
    /** Inputs that go into the query. */
    query: readonly string[];
    /** Those that are sent as this header field instead, if a header can carry the value: URLs are written to logs. */
    headers: Readonly<Record<string, string>>;
    /** True if it has a body, for all other inputs. */
    body: boolean;
    /** True if it returns a list that can be read in pages. */
    paged: boolean;
    /** True if its answer has no envelope. */
    bare: boolean;
}

/** Options of a call, besides its inputs. */
export interface CallOptions {
    /** Aborts the call, which rejects with the signal's reason. */
    signal?: AbortSignal | undefined;
    /** Time limit of the call with all repetitions and waits, in milliseconds. */
    timeout_ms?: number | undefined;
    /**
     * The request id in the service's log: 1 to 128 of `[A-Za-z0-9._-]`. If it is absent, the service generates one.
     */
    request_id?: string | undefined;
}

/** A list: complete, or page by page. */
export interface ListMethod<Input extends unknown[], Data> {
    (...args: [...input: Input, options?: CallOptions]): Promise<Data>;
    /**
     * Reads page by page, with `limit` rows each (default 1,000), from `cursor` or the beginning. The options apply to
     * each page.
     */
    pages(...args: [...input: Input, options?: CallOptions]): AsyncGenerator<Data, void>;
}
