/** A start cannot succeed. The message says why, for an operator: no stack, and no part of a secret. */
export class StartError extends Error {
    readonly step: string;

    constructor(step: string, message: string, options?: ErrorOptions) {
        super(message, options);
        this.step = step;
    }
}
