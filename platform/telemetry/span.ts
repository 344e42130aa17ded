/** Anything with a place in a trace (the `traceparent` of W3C): contexts, exchanges, spans. */
export interface Traced {
    traceparent?: string | undefined;
}

/** `server` and `consumer` start a trace if the call has none. The others are always part of one. */
export type Kind = 'server' | 'client' | 'internal' | 'consumer';

/**
 * One hop of a call. Its time begins when the hop is requested. It contains only what logs contain, never the content
 * of a call.
 */
export interface Span extends Traced {
    /** Returns the context with the `traceparent` that this hop passes on. */
    within<Context extends Traced>(context: Context): Context;
    rename(name: string): void;
    attribute(name: string, value: string | number): void;
    /** Records that the batch of the item has started. The item has waited until now. */
    sent(batchSize: number): void;
    finish(error?: unknown): void;
}

/** The span of calls that are not traced. */
export const NO_SPAN: Span = {
    within: (context) => context,
    rename() {},
    attribute() {},
    sent() {},
    finish() {},
};

export type StartSpan = (kind: Kind, name: string, parent: Traced | undefined) => Span;

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns the value of a `traceparent` header; undefined if it has another form. */
export function readTraceparent(value: unknown): string | undefined {
    return typeof value === 'string' && TRACEPARENT.test(value) ? value : undefined;
}

/** Returns the trace's id, as logs show it. */
export function traceIdOf({ traceparent }: Traced): string | undefined {
    return traceparent?.slice(3, 35);
}
