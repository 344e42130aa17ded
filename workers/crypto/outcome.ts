import { AppError, asAppError, type ErrorKind } from '../../platform/errors.ts';

/** The result of a task in a form that structured cloning keeps. A cloned AppError would lose its kind. */
export type Outcome<Value> =
    | { value: Value }
    | { error: { kind: ErrorKind; detail: string; reason: string | undefined; cause?: string } };

export function attempt<Value>(operation: () => Value): Outcome<Value> {
    try {
        return { value: operation() };
    } catch (thrown) {
        const { kind, detail, reason, cause } = asAppError(thrown);
        return { error: { kind, detail, reason, ...(cause === undefined ? {} : { cause: String(cause) }) } };
    }
}

export function valueOrError<Value>(outcome: Outcome<Value>): Value | AppError {
    if ('value' in outcome) return outcome.value;
    const { kind, detail, ...options } = outcome.error;
    return new AppError(kind, detail, options);
}
