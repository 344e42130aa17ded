import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Metrics } from './metrics.ts';

export type Log = Logger;

/** What may wait for a reader that has stopped: half a minute's lines of a busy gateway. What comes on top is dropped. */
const MAX_WAITING_BYTES = 32 << 20;

/** Of the process, as its standard output is. */
let dropped_lines = 0;

export function exposeLog(metrics: Metrics): void {
    metrics.readings(
        {
            type: 'counter',
            name: 'log_lines_dropped_total',
            help: 'Log lines dropped because nobody took those before them.',
            labels: [],
        },
        () => [{ labels: {}, value: dropped_lines }],
    );
}

/**
 * One JSON line per event, to `file` or to standard output. Only the fields that a call site names are written: never a body,
 * a header or a query. An error is written with its type, stack and cause; AppErrors keep their cause for here.
 */
export function createLog({ level, file, name }: { level: string; file?: string | undefined; name: string }): Log {
    const stream = destination({ dest: file ?? 1, sync: false, mkdir: true, maxLength: MAX_WAITING_BYTES });
    stream.on('drop', (lines: string) => {
        dropped_lines += lines.split('\n').length - 1;
    });
    const base = { service: name, pid: process.pid };
    return pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, byTurns(stream));
}

/** Hands on the lines of one turn of the event loop together: to write costs as much as to make ten lines. */
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
