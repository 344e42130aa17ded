import type { RefusalKind } from './responses.ts';

/** What the OpenAPI document says of an endpoint beyond its schemas. */
export interface Operation {
    summary: string;
    description?: string;
    /** When it refuses for reasons of its own; what every endpoint refuses goes without saying. */
    refusals?: Partial<Record<RefusalKind, string>>;
    /** Whether the same call again changes nothing more and is answered the same: programs may send it twice. GETs are so. */
    idempotent?: true;
    example: Example;
}

interface Example {
    params?: Record<string, string>;
    query?: Record<string, string>;
    headers?: Record<string, string>;
    body?: Record<string, unknown>;
    data: Record<string, unknown>;
}
