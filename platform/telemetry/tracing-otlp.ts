import {
    type Attributes,
    type Context,
    type Span as OtelSpan,
    ROOT_CONTEXT,
    SpanKind,
    SpanStatusCode,
    TraceFlags,
    type Tracer,
    trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
    BatchSpanProcessor,
    ParentBasedSampler,
    type SpanExporter,
    TraceIdRatioBasedSampler,
    TracerProvider,
} from '@opentelemetry/sdk-trace';
import { asAppError } from '../errors.ts';
import type { Log } from './log.ts';
import { type Kind, NO_SPAN, type Span, type StartSpan, type Traced } from './span.ts';

export interface TracingOptions {
    /** URL of a collector that accepts OTLP over HTTP. Without it nothing is traced. */
    endpoint: string | undefined;
    /**
     * Share of the traces starting in this process that are recorded, from 0 to 1. For any other trace, the process
     * where it started has decided.
     */
    sample: number;
    /** This process's name in traces. */
    service: string;
    log: Log;
}

/** Maximum number of spans that wait to be sent. Beyond it: spans are dropped, and the log says so. */
const MAX_QUEUED = 4_096;
/** How often spans are sent, in milliseconds. */
const SEND_EVERY_MS = 2_000;
/**
 * Time limit for the collector to take spans, in milliseconds. Beyond it: the spans are dropped, and the log says so.
 */
const SEND_TIMEOUT_MS = 3_000;

const KINDS: Record<Kind, SpanKind> = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    internal: SpanKind.INTERNAL,
    consumer: SpanKind.CONSUMER,
};

/** Sends spans to a collector, in the background and in batches, so that no call waits for it. */
export function exportSpans(options: TracingOptions & { endpoint: string }): {
    start: StartSpan;
    stop(): Promise<void>;
} {
    const { endpoint, sample, service, log } = options;
    const exporter = new OTLPTraceExporter({
        url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
        timeoutMillis: SEND_TIMEOUT_MS,
    });
    const provider = new TracerProvider({
        resource: resourceFromAttributes({ 'service.name': service, 'process.pid': process.pid }),
        sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sample) }),
        spanProcessors: [
            new BatchSpanProcessor({
                exporter: telling(exporter, log),
                maxQueueSize: MAX_QUEUED,
                scheduledDelayMillis: SEND_EVERY_MS,
                exportTimeoutMillis: SEND_TIMEOUT_MS,
            }),
        ],
    });
    return {
        start: starter(provider.getTracer(service)),
        stop: () => provider.shutdown().catch(() => {}), // telling() has logged the reason
    };
}

/** Logs the loss of spans, which is the only sign of an unreachable collector. */
function telling(exporter: SpanExporter, log: Log): SpanExporter {
    return {
        export(spans, done) {
            exporter.export(spans, (result) => {
                if (result.error) log.warn({ err: result.error, spans: spans.length }, 'could not send spans');
                done(result);
            });
        },
        shutdown: () => exporter.shutdown(),
    };
}

function starter(tracer: Tracer): StartSpan {
    return (kind, name, parent) => {
        const traceparent = parent?.traceparent;
        if (traceparent === undefined) {
            if (kind !== 'server' && kind !== 'consumer') return NO_SPAN;
            return new TracedSpan(tracer.startSpan(name, { kind: KINDS[kind] }, ROOT_CONTEXT));
        }
        if (!isSampled(traceparent)) return NO_SPAN;
        return new TracedSpan(tracer.startSpan(name, { kind: KINDS[kind] }, contextOf(traceparent)));
    };
}

function isSampled(traceparent: string): boolean {
    return (flagsOf(traceparent) & TraceFlags.SAMPLED) !== 0;
}

function flagsOf(traceparent: string): number {
    return Number.parseInt(traceparent.slice(53, 55), 16);
}

function contextOf(traceparent: string): Context {
    return trace.setSpanContext(ROOT_CONTEXT, {
        traceId: traceparent.slice(3, 35),
        spanId: traceparent.slice(36, 52),
        traceFlags: flagsOf(traceparent),
        isRemote: true,
    });
}

/** True if Redis did not answer in time. Callers get an error without this name. */
function isTimeout(error: unknown): boolean {
    return Error.isError(error) && error.name === 'TimeoutError';
}

class TracedSpan implements Span {
    readonly traceparent: string;
    readonly #span: OtelSpan;
    readonly #began = performance.now();

    constructor(span: OtelSpan) {
        const { traceId, spanId, traceFlags } = span.spanContext();
        this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
        this.#span = span;
    }

    within<Context extends Traced>(context: Context): Context {
        return { ...context, traceparent: this.traceparent };
    }

    rename(name: string): void {
        this.#span.updateName(name);
    }

    attribute(name: string, value: string | number): void {
        this.#span.setAttribute(name, value);
    }

    sent(batchSize: number): void {
        const attributes: Attributes = {
            'queue.wait_ms': Math.round((performance.now() - this.#began) * 1e3) / 1e3,
            'batch.size': batchSize,
        };
        this.#span.setAttributes(attributes);
    }

    /** Sends only the kind of an error: its text and causes may contain data of the call. */
    finish(error?: unknown): void {
        if (error !== undefined) {
            const { kind, httpStatus } = asAppError(error);
            this.#span.setAttribute('error.type', isTimeout(error) ? 'timeout' : kind);
            if (httpStatus >= 500) this.#span.setStatus({ code: SpanStatusCode.ERROR });
        }
        this.#span.end();
    }
}
