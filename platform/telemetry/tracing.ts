import { type Kind, NO_SPAN, type Span, type StartSpan, type Traced } from './span.ts';
import type { TracingOptions } from './tracing-otlp.ts';

/** All calls of the process share it. If undefined, nothing is traced, and a span costs one comparison. */
let start: StartSpan | undefined;

export function startSpan(kind: Kind, name: string, parent?: Traced): Span {
    return start === undefined ? NO_SPAN : start(kind, name, parent);
}

/** Runs `work`, and finishes `span` when it ends. */
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

/** Starts tracing the calls of this process, if there is an endpoint. `stop` sends the spans that are left. */
export async function startTracing(options: TracingOptions): Promise<{ stop(): Promise<void> }> {
    const { endpoint } = options;
    if (endpoint === undefined) return { stop: async () => {} };
    const { exportSpans } = await import('./tracing-otlp.ts'); // imported only if needed: it takes 13 MB of memory
    const exporting = exportSpans({ ...options, endpoint });
    start = exporting.start;
    return {
        stop() {
            start = undefined;
            return exporting.stop();
        },
    };
}
