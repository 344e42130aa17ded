import { AppError } from './errors.ts';

/**
 * Wraps `run` as a single flight: it runs once at a time, with the arguments of its first caller, and concurrent callers
 * share its result. A run that takes longer than `timeoutMs` fails with AppError `unavailable` and this reason, and the
 * next caller starts a new one.
 */
export function singleFlight<Arguments extends unknown[], Result>(
    run: (...args: Arguments) => Promise<Result>,
    timeoutMs: number,
    reason?: string,
): (...args: Arguments) => Promise<Result> {
    let running: Promise<Result> | undefined;
    return (...args) => {
        running ??= inTime(run(...args), timeoutMs, reason).finally(() => {
            running = undefined;
        });
        return running;
    };
}

async function inTime<Result>(result: Promise<Result>, timeoutMs: number, reason?: string): Promise<Result> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(tooLate(timeoutMs, reason)), timeoutMs);
    return Promise.race([result, late.promise]).finally(() => clearTimeout(timer));
}

function tooLate(timeoutMs: number, reason: string | undefined): AppError {
    const cause = new Error(`no answer within ${timeoutMs} ms`);
    return new AppError('unavailable', 'The operation took too long. Try again shortly.', {
        retry_after: 1,
        reason,
        cause,
    });
}
