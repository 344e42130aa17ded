import { EXIT } from './errors.ts';
import { qrCode } from './terminal/qr-code.ts';
import { coloured, fieldLines, jsonLine, printable, tableLines } from './terminal/text.ts';
import type { World } from './world.ts';

/** What a command has found out. Only one of both forms is printed. */
export interface Report {
    /** For programs. Absent if the command has printed its results itself. */
    data?: unknown;
    /** For people. Control characters in it are made visible. */
    lines?: readonly string[];
    /** Whether the outcome is good. It decides the exit code, and the colour of the first line. */
    good?: boolean;
    /** A link. People who read at a terminal also get it as a QR code, below the lines. */
    link?: string;
    /** A text that is printed as it is: a script or a help page. */
    script?: string;
}

/** Prints a report. Returns the exit code. */
export function printReport(report: Report, { stdout, env }: World, json: boolean): number {
    const { data, lines = [], good, link, script } = report;
    if (script !== undefined) stdout.write(script);
    else if (json && data !== undefined) stdout.write(jsonLine(data));
    else if (!json) {
        const colour = good ? 'green' : 'red';
        for (const [index, line] of lines.map(printable).entries()) {
            const isVerdict = good !== undefined && index === 0;
            stdout.write(`${isVerdict ? coloured(line, colour, { stdout, env }) : line}\n`);
        }
        if (link !== undefined && stdout.isTTY) stdout.write(qrCode(link, { stdout, env }));
    }
    return good === false ? EXIT.invalid : EXIT.ok;
}

/** A report of one thing. Fields without a value are left out for people. */
export function fieldsReport(data: object, fields: Readonly<Record<string, unknown>>): Report {
    return { data, lines: fieldLines(fields) };
}

/** A report of a list. For people it is a table; `none` says that there is nothing. */
export function tableReport(
    data: object,
    rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
    none: string,
): Report {
    return { data, lines: rows.length === 0 ? [none] : tableLines(rows) };
}
