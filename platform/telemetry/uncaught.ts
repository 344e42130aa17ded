import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * Keeps the process and its other requests running when no code catches an error. Such an error is a defect: it is
 * logged, counted and raises an alert (UncaughtException).
 */
export function surviveUncaught({ log, metrics }: { log: Log; metrics: Metrics }): { stop(): void } {
    const uncaught = metrics.counter({
        name: 'process_uncaught_exceptions_total',
        help: 'Errors that no code caught.',
        labels: [],
    });
    const onUncaught = (err: unknown): void => {
        uncaught.inc();
        log.fatal({ err }, 'uncaught exception');
    };
    process.on('uncaughtException', onUncaught); // also called for rejected promises without a handler
    return { stop: () => void process.off('uncaughtException', onUncaught) };
}

/** Logs the warnings of Node and of libraries, which Node would write to standard error as plain text. Returns the log. */
export function logWarnings(log: Log): Log {
    process.removeAllListeners('warning'); // Node's own listener is the one that writes
    process.on('warning', (err) => log.warn({ err }, 'process warning'));
    return log;
}
