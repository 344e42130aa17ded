import { type Kind, NO_SPAN, type Span, type StartSpan, type Traced } from './span.ts';
import type { TracingOptions } from './tracing-otlp.ts';

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
