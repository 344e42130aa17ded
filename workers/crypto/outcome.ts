import { AppError, asAppError, type ErrorKind } from '../../platform/errors.ts';

/** The result of a task in a form that structured cloning keeps. A cloned AppError would lose its kind. */
export type Outcome<Value> = { value: Value } | { error: { kind: ErrorKind; detail: string; cause?: string } };

export function attempt<Value>(operation: () => Value): Outcome<Value> {
    try {
        return { value: operation() };
    } catch (thrown) {
        const { kind, detail, cause } = asAppError(thrown);
        return { error: { kind, detail, ...(cause === undefined ? {} : { cause: String(cause) }) } };
    }
}

export function valueOrError<Value>(outcome: Outcome<Value>): Value | AppError {
    if ('value' in outcome) return outcome.value;
    return new AppError(outcome.error.kind, outcome.error.detail, { cause: outcome.error.cause });
}
