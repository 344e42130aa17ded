import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * One JSON line per event, to `file` or to standard output. Only the fields that a call site names are written: never a body,
 * a header or a query. An error is written with its type, stack and cause; AppErrors keep their cause for here.
 */
export function createLog({ level, file, name }: { level: string; file?: string | undefined; name: string }): Log {
    const stream = byTurns(destination({ dest: file ?? 1, sync: false, mkdir: true }));
    return pino({ level, base: { service: name, pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, stream);
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
