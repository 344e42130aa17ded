/**
 * Makes of `look` one that runs once at a time: whoever asks meanwhile hears what that look finds. One that takes longer than
 * `most_ms` has failed, and the next to ask looks anew.
 */
export function sharedLook<Arguments extends unknown[]>(
    look: (...arguments_of_the_first: Arguments) => Promise<unknown>,
    most_ms: number,
): (...asked_with: Arguments) => Promise<void> {
    let running: Promise<void> | undefined;
    return (...asked_with) => {
        running ??= inTime(look(...asked_with), most_ms).finally(() => {
            running = undefined;
        });
        return running;
    };
}

async function inTime(look: Promise<unknown>, most_ms: number): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`no answer within ${most_ms} ms`)), most_ms);
    await Promise.race([look, late.promise]).finally(() => clearTimeout(timer));
}
