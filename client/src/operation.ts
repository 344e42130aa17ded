/** How an operation of the service goes over the wire. */
export interface Operation {
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
    /** With the names of inputs in braces: `/v1/keys/{key_id}`. */
    path: string;
    /** The credentials that it is sent with, as far as the client has them. */
    credentials: ReadonlyArray<'token' | 'internal_secret'>;
    /** Whether it may be sent again when nobody knows what became of it. */
    idempotent: boolean;
    /** Inputs that go into the query. */
    query: readonly string[];
    /** Of these, the header field that one goes into instead, where a header can carry its value: URLs end up in logs. */
    headers: Readonly<Record<string, string>>;
    /** Whether it has a body, for all other inputs. */
    body: boolean;
    /** Whether it answers a list that can be had in pages. */
    paged: boolean;
    /** Whether its answer is data without an envelope. */
    bare: boolean;
}

/** What a call takes beside its inputs. */
export interface CallOptions {
    /** Gives the call up; it rejects with the signal's reason. */
    signal?: AbortSignal | undefined;
    /** How long the call may take in all, with every repetition and wait, in milliseconds. */
    timeout_ms?: number | undefined;
    /** Names the call in the service's log: 1 to 128 of `[A-Za-z0-9._-]`. Without it the service makes one. */
    request_id?: string | undefined;
}

/** A list: the whole of it, or page by page. */
export interface ListMethod<Input extends unknown[], Data> {
    (...args: [...input: Input, options?: CallOptions]): Promise<Data>;
    /** Reads page by page, of `limit` rows (1,000 unless given), from `cursor` or the beginning. Options hold for each page. */
    pages(...args: [...input: Input, options?: CallOptions]): AsyncGenerator<Data, void>;
}
