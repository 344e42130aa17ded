import { within } from '../within.ts';
import type { Dispatch } from './dispatch.ts';

interface RunningCalls {
    dispatch: Dispatch;
    /** Resolves when no call is running, or after `timeoutMs`. */
    finished(timeoutMs: number): Promise<void>;
}

/**
 * Counts the running calls, so that a stop can wait for them even if their connections are gone. Nothing that they need
 * is then closed too early.
 */
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
        async finished(timeoutMs) {
            if (running === 0) return;
            const { promise, resolve } = Promise.withResolvers<void>();
            settle = resolve;
            await within(timeoutMs, promise);
        },
    };
}
