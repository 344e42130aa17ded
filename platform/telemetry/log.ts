import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Metrics } from './metrics.ts';

export type Log = Logger;

/**
 * Bytes that may wait for a reader that has stopped: the lines of half a minute of a busy gateway. Further lines are
 * dropped.
 */
const MAX_WAITING_BYTES = 32 << 20;

/** Shared by the process, like its standard output. */
let dropped_lines = 0;

export function exposeLog(metrics: Metrics): void {
    metrics.collect(
        {
            type: 'counter',
            name: 'log_lines_dropped_total',
            help: 'Log lines dropped because earlier lines could not be written: nobody reads them, or the disk is full.',
            labels: [],
        },
        () => [{ labels: {}, value: dropped_lines }],
    );
}

/** Maximum time until the next attempt after a failed write, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * A log that cannot be written, such as on a full disk, does not end the process. Unwritten lines are kept up to the
 * bound, and the write is repeated. A file that cannot be opened is an error in the settings: it ends the process at
 * its start.
 */
function survive(stream: ReturnType<typeof destination>): void {
    let isFailing = false;
    let isRetryDue = false;
    const tryAgain = (): void => {
        isRetryDue = false;
        stream.write(''); // once the bound is reached no line makes it try
    };
    stream.once('ready', () => {
        stream.on('error', (error: Error) => {
            if (!isFailing) process.stderr.write(`The log cannot be written: ${error.message}\n`);
            isFailing = true;
            if (isRetryDue) return;
            isRetryDue = true;
            setTimeout(tryAgain, RETRY_MS).unref();
        });
    });
    stream.on('write', () => {
        isFailing = false;
    });
    // pino writes what is left when the process ends, however long it takes: on a full disk it would never end.
    process.prependListener('exit', () => {
        if (isFailing) stream.destroy();
    });
}

/**
 * One JSON line per event, to `file` or to standard output. Only the fields that a call site names are written, never a
 * body, a header or a query. An error is written with its type, stack and cause; an AppError keeps its cause for this
 * purpose.
 */
export function createLog({ level, file, name }: { level: string; file?: string | undefined; name: string }): Log {
    const stream = destination({ dest: file ?? 1, sync: false, mkdir: true, maxLength: MAX_WAITING_BYTES });
    survive(stream);
    stream.on('drop', (lines: string) => {
        dropped_lines += lines.split('\n').length - 1;
    });
    const base = { service: name, pid: process.pid };
    return pino({ level, base, timestamp: timeMember }, byTurns(stream));
}

let time_ms = 0;
let time_member = '';

/** The time of a line, as pino writes it. Many lines are written in the same millisecond. */
function timeMember(): string {
    const now_ms = Date.now();
    if (now_ms !== time_ms) {
        time_ms = now_ms;
        time_member = `,"time":"${new Date(now_ms).toISOString()}"`;
    }
    return time_member;
}

/** Passes on the lines of one turn of the event loop together: one write costs as much as making ten lines. */
function byTurns(stream: DestinationStream): DestinationStream {
    let lines = '';
    const handOn = () => {
        if (lines !== '') stream.write(lines);
        lines = '';
    };
    process.prependListener('exit', handOn); // before the stream writes what it still has, and closes
    return {
        write(line) {
            if (lines === '') setImmediate(handOn);
            lines += line;
        },
    };
}
