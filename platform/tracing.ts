import type { CallContext } from './context.ts';
import type { Log } from './log.ts';

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
    within(context: CallContext): CallContext;
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

/**
 * Shared by the process, like the totals of its queues. If absent, nothing is traced, and a span costs one comparison.
 */
let start: StartSpan | undefined;

export function startSpan(kind: Kind, name: string, parent?: Traced): Span {
    return start === undefined ? NO_SPAN : start(kind, name, parent);
}

/** Runs the work that `span` measures. */
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
    /** URL of a collector that accepts OTLP over HTTP. Without it nothing is traced. */
    endpoint: string | undefined;
    /** The share of the traces starting here that are recorded. Others are recorded where they started. */
    sample: number;
    /** This process's name in traces. */
    service: string;
    log: Log;
}

/** Starts tracing the calls of this process. `stop` sends the spans that are left. */
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

/** The header's value; undefined if it has another form. */
export function readTraceparent(value: unknown): string | undefined {
    return typeof value === 'string' && TRACEPARENT.test(value) ? value : undefined;
}

/** The trace's id, as logs show it. */
export function traceIdOf({ traceparent }: Traced): string | undefined {
    return traceparent?.slice(3, 35);
}
