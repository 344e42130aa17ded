import type { Command } from 'ioredis';

/**
 * Time limit of a command, in milliseconds. Beyond it: the caller continues without Redis, and the connection is
 * replaced.
 */
const COMMAND_TIMEOUT_MS = 500;

/** Traces recognize a timeout by this name. */
const TIMEOUT = { name: 'TimeoutError' };

/**
 * Fails a command that Redis does not answer in time, and then calls `onSilence`. ioredis's own timeout could fail a
 * command whose answer has arrived: after a stall of this process, timers run before Node reads data. So the command
 * fails only in a later immediate, after Node has read arrived data.
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
