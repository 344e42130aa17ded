import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { CliError, fileError } from '../errors.ts';
import type { Source } from './source.ts';

/** Longest line of an input, in bytes. */
export const MAX_LINE_BYTES = 256 << 10;

const NEWLINE = 0x0a;

interface Line {
    /** The first line is 1. */
    number: number;
    text: string;
    /** Whether a line feed ends it. Only the last line may have none. */
    complete: boolean;
    /** Where the next line begins in the file, in bytes. */
    end: number;
}

/** A line that is no text, or too long. */
export class LineError extends CliError {
    readonly number: number;
    readonly reason: string;

    constructor(path: string, number: number, reason: string) {
        super(`Line ${number} of ${path} is ${reason}.`);
        this.number = number;
        this.reason = reason;
    }
}

/** The path of a file, or a file that is open. */
export type Input = string | Source;

export const nameOf = (input: Input): string => (typeof input === 'string' ? input : input.name);

/** Reads a file in chunks, from its beginning. Throws CliError if it cannot be read. A file that is open stays open. */
export async function* chunksOf(input: Input): AsyncGenerator<Buffer> {
    const isOpen = typeof input !== 'string';
    const stream = createReadStream(nameOf(input), isOpen ? { fd: input.fd, start: 0, autoClose: false } : {});
    try {
        // Destroying the stream would close the file, whatever autoClose says.
        for await (const chunk of stream.iterator({ destroyOnReturn: !isOpen })) yield chunk;
    } catch (error) {
        throw fileError(nameOf(input), error);
    }
}

export async function sha256Of(input: Input): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of chunksOf(input)) hash.update(chunk);
    return hash.digest('hex');
}

/** Reads a file line by line, without a byte order mark and carriage returns. Throws LineError. */
export async function* linesOf(input: Input, maxBytes = MAX_LINE_BYTES): AsyncGenerator<Line> {
    for await (const line of exactLinesOf(input, maxBytes)) {
        const text = line.number === 1 ? line.text.replace(/^\uFEFF/, '') : line.text;
        yield { ...line, text: text.endsWith('\r') ? text.slice(0, -1) : text };
    }
}

/** Like linesOf, but a line is as it is in the file. One line and one chunk are in memory. */
export async function* exactLinesOf(input: Input, maxBytes: number): AsyncGenerator<Line> {
    const path = nameOf(input);
    const state = { number: 1, end: 0 };
    const take = (bytes: Buffer, complete: boolean): Line => {
        if (bytes.length > maxBytes) throw tooLong(path, state.number, maxBytes);
        state.end += bytes.length + (complete ? 1 : 0);
        return { number: state.number++, text: textOf(bytes, path, state.number - 1), complete, end: state.end };
    };
    let rest: Buffer[] = [];
    let restBytes = 0;
    for await (const chunk of chunksOf(input)) {
        let from = 0;
        for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
            yield take(Buffer.concat([...rest, chunk.subarray(from, at)]), true);
            rest = [];
            restBytes = 0;
            from = at + 1;
        }
        rest.push(chunk.subarray(from));
        restBytes += chunk.length - from;
        if (restBytes > maxBytes) throw tooLong(path, state.number, maxBytes);
    }
    if (restBytes > 0) yield take(Buffer.concat(rest), false);
}

function tooLong(path: string, number: number, maxBytes: number): LineError {
    return new LineError(path, number, `longer than ${maxBytes >> 10} KiB`);
}

function textOf(bytes: Buffer, path: string, number: number): string {
    try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
        throw new LineError(path, number, 'not UTF-8');
    }
}
