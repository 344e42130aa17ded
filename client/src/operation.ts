/** Describes how an operation of the service is sent. */
export interface Operation {
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
    /** The path, with the names of inputs in braces: `/v1/keys/{key_id}`. */
    path: string;
    /** The credentials that the request carries, if the client has them. */
    credentials: ReadonlyArray<'token' | 'internal_secret'>;
    /**
     * True if the call may be repeated when its outcome is unknown; `by-key` if it may be repeated with its
     * Idempotency-Key.
     */
    idempotent: boolean | 'by-key';
    /** Inputs that go into the query. */
    query: readonly string[];
    /**
     * Inputs of the query that are sent in a header field instead, by name, if a header can carry the value. Servers
     * and proxies write URLs to logs.
     */
    headers: Readonly<Record<string, string>>;
    /** True if the request has a body. It contains all other inputs. */
    body: boolean;
    /** True if the body is a form instead of JSON. */
    form?: true;
    /** If the operation returns a list that can be read in pages: the member of its data that has the items. */
    list?: string;
    /**
     * Set if the body and the answer are lines of JSON: the input whose items are the lines of the body, and the member of
     * the data whose items are those of the answer.
     */
    lines?: { sent: string; answered: string };
    /** True if the answer is any number of lines of JSON, which the method yields as they come. */
    streams?: true;
    /** True if the answer has no envelope. */
    bare: boolean;
    /** True if the answer is a text, not JSON. */
    text: boolean;
}

/** Options of a call, besides its inputs. */
export interface CallOptions {
    /** Aborts the call. It then rejects with the signal's reason. */
    signal?: AbortSignal | undefined;
    /**
     * Time limit of the call, including all retries and waits, in milliseconds. Of a method that yields lines: the time
     * until they begin, and between any two pieces of them.
     */
    timeout_ms?: number | undefined;
    /**
     * The request id in the service's log: 1 to 128 of `[A-Za-z0-9._-]`. If it is absent, the service generates one.
     */
    request_id?: string | undefined;
    /**
     * The Idempotency-Key of a call that creates something: 1 to 255 visible ASCII characters, at least 16 for API keys and
     * DIDs. A later call with the same key and the same input gets the same answer and creates nothing more. If it is
     * absent, the client generates one for each call and its retries. Other calls ignore it.
     */
    idempotency_key?: string | undefined;
}
