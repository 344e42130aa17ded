/**
 * Wraps `look` as a single flight: it runs once at a time, and concurrent callers share its result. A run that takes
 * longer than `timeoutMs` fails, and the next caller starts a new one.
 */
export function singleFlight<Arguments extends unknown[], Found>(
    look: (...argumentsOfTheFirst: Arguments) => Promise<Found>,
    timeoutMs: number,
): (...askedWith: Arguments) => Promise<Found> {
    let running: Promise<Found> | undefined;
    return (...askedWith) => {
        running ??= inTime(look(...askedWith), timeoutMs).finally(() => {
            running = undefined;
        });
        return running;
    };
}

async function inTime<Found>(look: Promise<Found>, timeoutMs: number): Promise<Found> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    return Promise.race([look, late.promise]).finally(() => clearTimeout(timer));
}
