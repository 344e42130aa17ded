import { AppError } from './errors.ts';
import { within } from './within.ts';

/** Time limit of a run whose caller names none, in milliseconds. Beyond it: `unavailable`. */
const TIMEOUT_MS = 10_000;

/**
 * Wraps `run` as a single flight: it runs once at a time, with the arguments of its first caller, and concurrent callers
 * share its result. A run that takes longer than `timeoutMs` fails with AppError `unavailable` and this reason, and the
 * next caller starts a new one.
 */
export function singleFlight<Arguments extends unknown[], Result>(
    run: (...args: Arguments) => Promise<Result>,
    reason: string,
    timeoutMs = TIMEOUT_MS,
): (...args: Arguments) => Promise<Result> {
    let running: Promise<Result> | undefined;
    return (...args) => {
        running ??= within(timeoutMs, run(...args), () => tooLate(timeoutMs, reason)).finally(() => {
            running = undefined;
        });
        return running;
    };
}

function tooLate(timeoutMs: number, reason: string): never {
    const cause = new Error(`no answer within ${timeoutMs} ms`);
    throw new AppError('unavailable', 'The operation took too long. Try again shortly.', {
        retry_after: 1,
        reason,
        cause,
    });
}
