import { ConnectionError } from './errors.ts';

/** Maximum duration of a timer, in milliseconds. */
const MAX_MS = 2 ** 31 - 1;

/** Combines the time limit of a call with the caller's own signal. */
export interface TimeLimit {
    /** Aborted with the error with which the call rejects. */
    signal: AbortSignal;
    /** Milliseconds. */
    left(): number;
    /** Waits. Rejects if the call is aborted meanwhile. */
    pause(milliseconds: number): Promise<void>;
    /** Must be called when the call has ended. */
    close(): void;
}

export function timeLimit(timeout_ms: number, given_up: AbortSignal | undefined): TimeLimit {
    const controller = new AbortController();
    const { signal } = controller;
    const milliseconds = Math.min(timeout_ms, MAX_MS);
    const ends = performance.now() + milliseconds;
    const giveUp = () => controller.abort(given_up?.reason);
    const timer = setTimeout(() => {
        controller.abort(new ConnectionError(`No answer within ${milliseconds} ms.`, { never_sent: false }));
    }, milliseconds);
    if (given_up?.aborted) giveUp();
    else given_up?.addEventListener('abort', giveUp, { once: true });
    return {
        signal,
        left: () => ends - performance.now(),
        pause: (pause_ms) => pause(pause_ms, signal),
        close() {
            clearTimeout(timer);
            given_up?.removeEventListener('abort', giveUp);
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
