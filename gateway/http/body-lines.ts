import { isUtf8 } from 'node:buffer';
import { AppError } from '../../platform/errors.ts';
import { JsonError, parseJson } from '../../platform/json.ts';

/** The media type of lines of JSON. */
export const NDJSON_TYPE = 'application/x-ndjson';
/** Largest line in bytes. Beyond it: the line is refused, and its bytes are dropped. */
const MAX_LINE_BYTES = 8 << 10;
/** Maximum number of lines in a body. Beyond it: the next line is refused, and the rest is not read. */
export const MAX_LINES = 100_000;
/** Largest body of lines in bytes. Beyond it: 413 or, if it is chunked, the line is refused and the rest is not read. */
export const MAX_LINES_BYTES = 64 << 20;
const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);
const NOT_RAW: ReadonlySet<string> = new Set();

/** A line without a usable value, and why. */
export class MalformedLine {
    readonly reason: string;

    constructor(reason: string) {
        this.reason = reason;
    }
}

/**
 * Parses a body of lines of JSON, which arrives in pieces. Gives the values in groups of `perGroup`, in their order. A line
 * that cannot be used is a MalformedLine, and affects no other. Needs memory for one group and one line. Throws AppError
 * `invalid` if there is no line.
 */
export async function* lineGroups(pieces: AsyncIterable<Buffer>, perGroup: number): AsyncGenerator<unknown[], void> {
    let group: unknown[] = [];
    let lines = 0;
    for await (const line of linesOf(pieces)) {
        lines++;
        const isLast = lines > MAX_LINES;
        group.push(isLast ? notRead(`There are more than ${MAX_LINES} lines.`) : line);
        if (isLast) break;
        if (group.length < perGroup) continue;
        yield group;
        group = [];
    }
    if (group.length > 0) yield group;
    if (lines === 0) throw new AppError('invalid', 'The body has no lines.');
}

async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<unknown, void> {
    const line = new LineBuffer();
    let bytes = 0;
    for await (const piece of pieces) {
        bytes += piece.length;
        if (bytes > MAX_LINES_BYTES) {
            yield notRead(`The body is larger than ${MAX_LINES_BYTES >> 20} MiB.`);
            return;
        }
        let from = 0;
        for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
            line.add(piece.subarray(from, end));
            from = end + 1;
            yield line.take();
        }
        line.add(piece.subarray(from));
    }
    if (!line.isEmpty) yield line.take(); // the last line need not end with a newline
}

function notRead(why: string): MalformedLine {
    return new MalformedLine(`${why} Neither this line nor those after it were read.`);
}

/** The bytes of the current line. Those of a line that is too long are dropped. */
class LineBuffer {
    #bytes: Buffer = NOTHING;
    #isTooLong = false;

    get isEmpty(): boolean {
        return this.#bytes.length === 0 && !this.#isTooLong;
    }

    add(bytes: Buffer): void {
        this.#isTooLong ||= this.#bytes.length + bytes.length > MAX_LINE_BYTES;
        if (this.#isTooLong) this.#bytes = NOTHING;
        else this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    }

    /** Returns the value of the line, and begins the next one. */
    take(): unknown {
        const value = this.#isTooLong
            ? new MalformedLine(`The line is longer than ${MAX_LINE_BYTES >> 10} KiB.`)
            : valueOfLine(this.#bytes);
        this.#bytes = NOTHING;
        this.#isTooLong = false;
        return value;
    }
}

function valueOfLine(bytes: Buffer): unknown {
    if (!isUtf8(bytes)) return new MalformedLine('The line is not valid UTF-8.');
    try {
        return parseJson(bytes.toString('utf8'), { raw: NOT_RAW });
    } catch (error) {
        if (error instanceof JsonError) return new MalformedLine(`The line is not usable JSON: ${error.message}.`);
        throw error;
    }
}
