/**
 * Wraps `run` as a single flight: it runs once at a time, with the arguments of its first caller, and concurrent callers
 * share its result. A run that takes longer than `timeoutMs` fails, and the next caller starts a new one.
 */
export function singleFlight<Arguments extends unknown[], Result>(
    run: (...args: Arguments) => Promise<Result>,
    timeoutMs: number,
): (...args: Arguments) => Promise<Result> {
    let running: Promise<Result> | undefined;
    return (...args) => {
        running ??= inTime(run(...args), timeoutMs).finally(() => {
            running = undefined;
        });
        return running;
    };
}

async function inTime<Result>(result: Promise<Result>, timeoutMs: number): Promise<Result> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    return Promise.race([result, late.promise]).finally(() => clearTimeout(timer));
}
