import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/**
 * Keeps the process alive when an error is thrown where nothing catches it, so that its other requests go on. Such an
 * error is a defect: it is logged, counted and raises an alert (UncaughtException).
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
    process.on('uncaughtException', onUncaught); // promises without a handler arrive here, too
    return { stop: () => void process.off('uncaughtException', onUncaught) };
}
