/**
 * Wraps `look` so that it runs once at a time: concurrent callers share its result. A run that takes longer than
 * `most_ms` fails, and the next caller starts a new one.
 */
export function singleFlight<Arguments extends unknown[], Found>(
    look: (...arguments_of_the_first: Arguments) => Promise<Found>,
    timeout_ms: number,
): (...asked_with: Arguments) => Promise<Found> {
    let running: Promise<Found> | undefined;
    return (...asked_with) => {
        running ??= inTime(look(...asked_with), timeout_ms).finally(() => {
            running = undefined;
        });
        return running;
    };
}

async function inTime<Found>(look: Promise<Found>, timeout_ms: number): Promise<Found> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeout_ms} ms`)), timeout_ms);
    return Promise.race([look, late.promise]).finally(() => clearTimeout(timer));
}
