/** A start cannot succeed. The message says why, for an operator: no stack, and no part of a secret. */
export class StartError extends Error {
    readonly step: string;

    constructor(step: string, message: string, options?: ErrorOptions) {
        super(message, options);
        this.step = step;
    }
}

/** Says in one line why something failed. A name may resolve to several addresses, each with an error of its own. */
export function reasonOf(error: unknown): string {
    if (error instanceof AggregateError) return Array.from(new Set(error.errors.map(reasonOf))).join('; ');
    if (!Error.isError(error)) return String(error);
    return error.message || error.name;
}
