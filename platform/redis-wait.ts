import type { Command } from 'ioredis';

/** How long a command may take before the caller goes on without Redis, in milliseconds. */
const COMMAND_TIMEOUT_MS = 500;

/** By this name a trace tells it from what is unforeseen. */
const TIMEOUT = { name: 'TimeoutError' };

/**
 * Fails a command that Redis does not answer in time, and calls `onSilence` then. Unlike the library's own timeout it is fair to
 * Redis: after a stall of this process timers run first, so what has come in meanwhile is read before a verdict is given (on
 * the immediate).
 */
export function limitWait(command: Command, onSilence?: () => void): void {
    let isSettled = false;
    const giveUp = (): void => {
        if (isSettled) return;
        command.reject(Object.assign(new Error('Redis did not answer in time.'), TIMEOUT));
        onSilence?.();
    };
    const timer = setTimeout(() => setImmediate(giveUp), COMMAND_TIMEOUT_MS);
    const settled = (): void => {
        isSettled = true;
        clearTimeout(timer);
    };
    command.promise.then(settled, settled);
}
