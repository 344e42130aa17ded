import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { SpanKind } from '@opentelemetry/api';

/** A span that was received over OTLP. */
export interface CollectedSpan {
    traceId: string;
    spanId: string;
    parentSpanId: string | undefined;
    name: string;
    /** One more than the API's number. */
    kind: SpanKind;
    /** The `service.name` of the process that sent it. */
    service: string;
    attributes: Record<string, string | number>;
}

/** The fields of an OTLP export in JSON that tests read. */
interface Export {
    resourceSpans: Array<{
        resource: { attributes: Attribute[] };
        scopeSpans: Array<{
            spans: Array<Omit<CollectedSpan, 'service' | 'attributes'> & { attributes: Attribute[] }>;
        }>;
    }>;
}
interface Attribute {
    key: string;
    value: { stringValue?: string; intValue?: number; doubleValue?: number };
}

interface Collector {
    url: string;
    /** All received bodies, unchanged. */
    text(): string;
    spans(): CollectedSpan[];
    stop(): void;
}

/** Starts a collector that receives traces over OTLP/HTTP and keeps them. */
export async function startCollector(): Promise<Collector> {
    const exports: string[] = [];
    const server = createServer(async (request, response) => {
        if (request.url === '/v1/traces') exports.push(await text(request));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number }; // address() is a string only for a pipe
    return {
        url: `http://127.0.0.1:${port}`,
        text: () => exports.join('\n'),
        spans: () => exports.flatMap(spansOf),
        stop() {
            server.close();
            server.closeAllConnections();
        },
    };
}

function spansOf(body: string): CollectedSpan[] {
    const { resourceSpans }: Export = JSON.parse(body);
    return resourceSpans.flatMap(({ resource, scopeSpans }) => {
        const service = String(valuesOf(resource.attributes)['service.name']);
        const spans = scopeSpans.flatMap((scope) => scope.spans);
        return spans.map((span) => ({ ...span, service, attributes: valuesOf(span.attributes) }));
    });
}

function valuesOf(attributes: Attribute[]): Record<string, string | number> {
    return Object.fromEntries(
        attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue ?? '']),
    );
}
