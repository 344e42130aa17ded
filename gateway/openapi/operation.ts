import type { RefusalKind } from './responses.ts';

/** The texts and the example of an endpoint in the OpenAPI document. */
export interface OperationNotes {
    summary: string;
    description?: string;
    /** When the endpoint refuses for reasons of its own. Refusals that every endpoint has are not repeated here. */
    refusals?: Partial<Record<RefusalKind, string>>;
    /**
     * True if a repeated call changes nothing more and gets the same answer, so that programs may repeat it. Every GET
     * is idempotent.
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
