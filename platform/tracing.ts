import type { CallContext } from './context.ts';
import type { Log } from './log.ts';

/** Anything that knows its place in a trace, by W3C's `traceparent`: contexts, exchanges, spans. */
export interface Traced {
    traceparent?: string | undefined;
}

/** `server` and `consumer` begin a trace where none has come in; the others are only ever a part of one. */
export type Kind = 'server' | 'client' | 'internal' | 'consumer';

/** One hop of a call, timed from when it was asked for. It carries what logs have too, and never what a call is about. */
export interface Span extends Traced {
    /** The call as this hop passes it on. */
    within(context: CallContext): CallContext;
    rename(name: string): void;
    attribute(name: string, value: string | number): void;
    /** Its turn has come, together with that of others: until now it has waited. */
    sent(batch_size: number): void;
    finish(error?: unknown): void;
}

/** Of calls that are not traced. */
export const NO_SPAN: Span = {
    within: (context) => context,
    rename() {},
    attribute() {},
    sent() {},
    finish() {},
};

export type StartSpan = (kind: Kind, name: string, parent: Traced | undefined) => Span;

/** Of the process, as its queues' tallies are; absent: no trace is kept, and a span costs one comparison. */
let start: StartSpan | undefined;

export function startSpan(kind: Kind, name: string, parent?: Traced): Span {
    return start === undefined ? NO_SPAN : start(kind, name, parent);
}

/** Runs what `span` stands for. */
export async function inSpan<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
    try {
        const result = await work();
        span.finish();
        return result;
    } catch (error) {
        span.finish(error);
        throw error;
    }
}

export interface TracingOptions {
    /** URL of a collector that takes OTLP over HTTP; without it nothing is traced. */
    endpoint: string | undefined;
    /** What part of the traces that begin here is kept; others are kept where they began. */
    sample: number;
    /** What this process is called in traces. */
    service: string;
    log: Log;
}

/** Begins to trace this process' calls. `stop` hands over what has not been sent yet. */
export async function startTracing(options: TracingOptions): Promise<{ stop(): Promise<void> }> {
    const { endpoint } = options;
    if (endpoint === undefined) return { stop: async () => {} };
    const { exportSpans } = await import('./tracing-otlp.ts'); // 13 MB of memory that only who traces pays for
    const exporting = exportSpans({ ...options, endpoint });
    start = exporting.start;
    return {
        stop() {
            start = undefined;
            return exporting.stop();
        },
    };
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The header's value; undefined where it has another form. */
export function readTraceparent(value: unknown): string | undefined {
    return typeof value === 'string' && TRACEPARENT.test(value) ? value : undefined;
}

/** As logs name the trace. */
export function traceIdOf({ traceparent }: Traced): string | undefined {
    return traceparent?.slice(3, 35);
}
