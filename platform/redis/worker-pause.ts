import type { Worker } from 'bullmq';
import type { Log } from '../telemetry/log.ts';

/** The pause after the first error, in milliseconds. It doubles with each further error. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

/**
 * Makes a worker wait after an error. BullMQ itself waits only if the connection is lost: if Redis refuses a command,
 * it would repeat it at once, for ever. Logs one line when the errors begin, and one when they are over.
 */
export function pauseOnErrors(worker: Worker, { log, signal }: { log: Log; signal: AbortSignal }): void {
    let pauseMs = 0;
    const goOn = (): void => {
        if (!signal.aborted) worker.resume().catch(() => {}); // it emits the error, too
    };
    worker.on('error', (error) => {
        if (signal.aborted || worker.isPaused()) return;
        if (pauseMs === 0) log.warn({ err: error }, 'job queue error: trying again until it is over');
        pauseMs = Math.min(pauseMs === 0 ? PAUSE_MS : 2 * pauseMs, MAX_PAUSE_MS);
        worker.pause(true).catch(() => {});
        setTimeout(goOn, pauseMs).unref();
    });
    const works = (): void => {
        if (pauseMs > 0) log.info('the job queue works again');
        pauseMs = 0;
    };
    worker.on('drained', works);
    worker.on('completed', works);
}
