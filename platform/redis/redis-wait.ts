import type { Command } from 'ioredis';

/** Time limit of a command, in milliseconds. Then the caller continues without Redis. */
const COMMAND_TIMEOUT_MS = 500;

/** This name tells traces that the error is an expected one. */
const TIMEOUT = { name: 'TimeoutError' };

/**
 * Fails a command that Redis does not answer in time, and then calls `onSilence`. The library's own timeout is unfair
 * to Redis: after a stall of this process timers run first, so here the verdict is given in a later immediate, after
 * arrived data was read.
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
