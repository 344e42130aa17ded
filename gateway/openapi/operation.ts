import type { RefusalKind } from './responses.ts';

/** What the OpenAPI document says about an endpoint beyond its schemas. */
export interface OperationNotes {
    summary: string;
    description?: string;
    /** When it refuses for reasons of its own. Refusals that every endpoint has are not repeated. */
    refusals?: Partial<Record<RefusalKind, string>>;
    /**
     * True if a repeated call changes nothing more and gets the same answer, so that programs may send it twice. All
     * GETs are.
     */
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
