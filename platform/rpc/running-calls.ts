import type { Dispatch } from './dispatch.ts';

export interface RunningCalls {
    dispatch: Dispatch;
    /** Resolves when no call is running, or after `most_ms`. */
    finished(timeout_ms: number): Promise<void>;
}

/** Counts the running calls, so that nothing they need is closed too early, whatever happens to their connections. */
export function runningCalls(dispatch: Dispatch): RunningCalls {
    let running = 0;
    let settle: (() => void) | undefined;
    return {
        async dispatch(...call) {
            running++;
            try {
                return await dispatch(...call);
            } finally {
                if (--running === 0) settle?.();
            }
        },
        async finished(timeout_ms) {
            if (running === 0) return;
            const { promise, resolve } = Promise.withResolvers<void>();
            settle = resolve;
            const timer = setTimeout(resolve, timeout_ms);
            await promise;
            clearTimeout(timer);
        },
    };
}
