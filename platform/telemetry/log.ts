import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { reasonOf, StartError } from '../start-error.ts';
import type { Metrics } from './metrics.ts';

export type Log = Logger;

/**
 * Maximum number of bytes of log lines that wait to be written, for example because the reader of standard output has
 * stopped: the lines of half a minute of a busy gateway. Beyond it: lines are dropped and counted.
 */
const MAX_WAITING_BYTES = 32 << 20;

/**
 * Maximum number of errors of an AggregateError in a line: a name may resolve to many addresses that refuse. Beyond it:
 * the others are left out.
 */
const MAX_LOGGED_ERRORS = 4;

/** All logs of the process share this count, because they share its standard output. */
let droppedLines = 0;

export function exposeLog(metrics: Metrics): void {
    metrics.collect(
        {
            type: 'counter',
            name: 'log_lines_dropped_total',
            help: 'Log lines dropped because earlier lines could not be written: their reader has stopped, or the disk is full.',
            labels: [],
        },
        () => [{ labels: {}, value: droppedLines }],
    );
}

/** Time until the next attempt after a failed write, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Keeps the process running if the log cannot be written, for example because the disk is full. Unwritten lines are
 * kept up to the bound, and the write is repeated.
 */
function survive(stream: ReturnType<typeof destination>): void {
    let isFailing = false;
    let isRetryDue = false;
    const tryAgain = (): void => {
        isRetryDue = false;
        stream.write(''); // new lines no longer start a write once the bound is reached
    };
    stream.on('error', (error: Error) => {
        if (!isFailing) process.stderr.write(`The log cannot be written: ${error.message}\n`);
        isFailing = true;
        if (isRetryDue) return;
        isRetryDue = true;
        setTimeout(tryAgain, RETRY_MS).unref();
    });
    stream.on('write', () => {
        isFailing = false;
    });
    // When the process exits, pino writes the lines that are left, and throws what it meets. A full disk must not change
    // how the process ends.
    process.prependListener('exit', () => {
        try {
            if (!isFailing) return stream.flushSync();
        } catch {} // nobody is left to read it
        stream.destroy();
    });
}

/**
 * Creates a log of one JSON line per event, to `file` or to standard output. It contains only the fields that a call
 * site names, never a body, a header or a query. An error is written with its type, stack, code and cause; an AppError
 * keeps its cause for this purpose. Throws StartError if the file cannot be opened.
 */
export function createLog({ level, file, name }: { level: string; file?: string | undefined; name: string }): Log {
    const stream = destination({ dest: file ? openFile(file) : 1, sync: false, maxLength: MAX_WAITING_BYTES });
    survive(stream);
    stream.on('drop', (lines: string) => {
        droppedLines += lines.split('\n').length - 1;
    });
    const base = { service: name, pid: process.pid };
    return pino(
        { level, base, timestamp: stdTimeFunctions.isoTime, serializers: { err: errorMembers } },
        byTurns(stream),
    );
}

/** Opens the file before pino does: pino throws at the exit of a process if its file is not open by then. */
function openFile(file: string): number {
    try {
        mkdirSync(dirname(file), { recursive: true });
        return openSync(file, 'a');
    } catch (error) {
        throw new StartError('log', `LOG_FILE cannot be opened: ${reasonOf(error)}`, { cause: error });
    }
}

/** The members of an error in the log. The others may contain data: ioredis adds the command, and slonik the values. */
function errorMembers(error: unknown): unknown {
    if (!Error.isError(error)) return error;
    const { type, message, stack, code } = pino.stdSerializers.err(error);
    const members = { type, message, stack, code };
    if (!(error instanceof AggregateError)) return members;
    return { ...members, errors: error.errors.slice(0, MAX_LOGGED_ERRORS).map(errorMembers) };
}

/** Writes the lines of one turn of the event loop together, because one write costs as much as creating ten lines. */
function byTurns(stream: DestinationStream): DestinationStream {
    let lines = '';
    const handOn = () => {
        if (lines !== '') stream.write(lines);
        lines = '';
    };
    process.prependListener('exit', handOn); // runs before the stream writes its last lines and closes
    return {
        write(line) {
            if (lines === '') setImmediate(handOn);
            lines += line;
        },
    };
}
