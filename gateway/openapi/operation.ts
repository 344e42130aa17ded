import type { Terms } from './glossary.ts';
import type { RefusalKind } from './responses.ts';

/** What the OpenAPI document and docs/reference say about an endpoint, besides what its declaration says. */
export interface OperationNotes {
    /** The id that the endpoint had in an earlier release. The client still has a method with this name. */
    formerId?: string;
    /** When the endpoint refuses for reasons of its own. Refusals that every endpoint has are not repeated here. */
    refusals?: Partial<Record<RefusalKind, string>>;
    owasp: OwaspNotes;
    /**
     * The meanings of the fields that only this endpoint has, or that mean something else here than in the glossary.
     * A field whose name ends with `_at` is a time.
     */
    fields?: Terms;
    example: Example;
}

/** The cells of docs/reference/owasp.md that do not follow from `access`. The page explains their words. */
interface OwaspNotes {
    /** API1: whose stored objects the call names or lists. */
    objects: 'none' | 'own' | 'own part' | 'public';
    /** API2: what the body or a header must present besides the credential that `access` requires. */
    presents?: 'password' | 'token';
    /** API6: what slows down a program that makes the call again and again to gain something, unless it is a password. */
    slowedBy?: 'rate' | 'key limit' | 'trusted';
}

interface Example {
    params?: Record<string, string>;
    query?: Record<string, string>;
    headers?: Record<string, string>;
    body?: Record<string, unknown>;
    /** The answer's `data`, or its document. */
    data: Record<string, unknown> | string;
}
