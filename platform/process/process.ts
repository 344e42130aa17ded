/**
 * Signals within this time after the first one, in milliseconds, count as the same signal: npm and the terminal both
 * pass Ctrl-C on.
 */
const SAME_SIGNAL_MS = 1_000;
/** Time limit for stopping, in milliseconds. Beyond it: the process exits with 1. */
export const STOP_CAP_MS = 12_000;

/**
 * Calls `stop` on SIGTERM or SIGINT, then exits with 0. On a second, later signal, or after the time limit, exits with
 * 1 at once. A terminal sends SIGINT and SIGHUP to all processes in its foreground. A process that has a launcher
 * ignores them, because the launcher decides when each process stops.
 */
export function stopOnSignals(stop: () => Promise<void>, { hasLauncher }: { hasLauncher: boolean }): void {
    let first: number | undefined;
    const onSignal = (): void => {
        const now = performance.now();
        if (first === undefined) {
            first = now;
            setTimeout(() => process.exit(1), STOP_CAP_MS).unref();
            stop().then(
                () => process.exit(0),
                () => process.exit(1),
            );
        } else if (now - first > SAME_SIGNAL_MS) {
            process.exit(1);
        }
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', hasLauncher ? () => {} : onSignal);
    if (hasLauncher) process.on('SIGHUP', () => {});
}

/** Ends the process when its parent ends. Its standard input is a pipe from the parent, which then closes. */
export function exitWithParent(): void {
    process.stdin.resume();
    process.stdin.on('end', () => process.exit(1));
    process.stdin.on('error', () => process.exit(1));
}
