import { ConnectionError } from './errors.ts';

/** Maximum duration of a timer, in milliseconds. */
const MAX_MS = 2 ** 31 - 1;

/** Combines the time limit of a call with the caller's own signal. */
export interface TimeLimit {
    /** Aborted when the call must end. Its reason is the error that the call rejects with. */
    signal: AbortSignal;
    /** Returns the remaining time, in milliseconds. */
    left(): number;
    /** Waits. Rejects if the call is aborted in the meantime. */
    pause(milliseconds: number): Promise<void>;
    /** Must be called when the call has ended. */
    close(): void;
}

export function timeLimit(timeoutMs: number, givenUp: AbortSignal | undefined): TimeLimit {
    const controller = new AbortController();
    const { signal } = controller;
    const milliseconds = Math.min(timeoutMs, MAX_MS);
    const ends = performance.now() + milliseconds;
    const giveUp = () => controller.abort(givenUp?.reason);
    const timer = setTimeout(() => {
        controller.abort(new ConnectionError(`No answer within ${milliseconds} ms.`, { never_sent: false }));
    }, milliseconds);
    if (givenUp?.aborted) giveUp();
    else givenUp?.addEventListener('abort', giveUp, { once: true });
    return {
        signal,
        left: () => ends - performance.now(),
        pause: (pauseMs) => pause(pauseMs, signal),
        close() {
            clearTimeout(timer);
            givenUp?.removeEventListener('abort', giveUp);
        },
    };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
        const stop = () => {
            clearTimeout(timer);
            reject(signal.reason);
        };
        const timer = setTimeout(() => {
            signal.removeEventListener('abort', stop);
            resolve();
        }, milliseconds);
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
    });
}
