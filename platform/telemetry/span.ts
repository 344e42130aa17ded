/** Anything that knows its place in a trace, by W3C's `traceparent`: contexts, exchanges, spans. */
export interface Traced {
    traceparent?: string | undefined;
}

/** `server` and `consumer` start a trace if none has come in. The others are always part of one. */
export type Kind = 'server' | 'client' | 'internal' | 'consumer';

/**
 * One hop of a call, timed from when it was requested. It carries what logs have too, and never the content of a call.
 */
export interface Span extends Traced {
    /** The `traceparent` that this hop passes on. */
    within<Context extends Traced>(context: Context): Context;
    rename(name: string): void;
    attribute(name: string, value: string | number): void;
    /** The item's batch has started; until now it has waited. */
    sent(batch_size: number): void;
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

/** The header's value; undefined if it has another form. */
export function readTraceparent(value: unknown): string | undefined {
    return typeof value === 'string' && TRACEPARENT.test(value) ? value : undefined;
}

/** The trace's id, as logs show it. */
export function traceIdOf({ traceparent }: Traced): string | undefined {
    return traceparent?.slice(3, 35);
}
