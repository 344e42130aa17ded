import { stringifyJson } from '../../../platform/json.ts';
import type { World } from '../world.ts';

/**
 * Characters that a terminal obeys instead of showing: C0, DEL, C1, line separators, and those that change the
 * direction of text. Data from the service or from a token may contain them.
 */
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Makes control characters visible: `\u001b`. */
export function printable(text: string): string {
    return text.replace(OBEYED, escaped);
}

/** A value as one line of JSON. Control characters are escaped, so a terminal does not obey them either. */
export const jsonLine = (value: unknown): string => `${json(value)}\n`;

/** JSON in one line. A `JsonText` in it may have line ends, but only between values. */
const json = (value: unknown): string => printable(stringifyJson(value).replace(/[\t\n\r]/g, ' '));

/** Shows a value in one line: a text as it is, a list with commas, anything else as JSON. */
function shown(value: unknown): string {
    if (typeof value === 'string') return printable(value);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return printable(value.join(', '));
    if (value === undefined || value === null) return '-';
    return json(value);
}

/** `label  value` lines, aligned. Fields that are undefined are left out. */
export function fieldLines(fields: Readonly<Record<string, unknown>>): string[] {
    const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
    const width = widest(entries.map(([label]) => label));
    return entries.map(([label, value]) => `${label.padEnd(width)}  ${shown(value)}`);
}

/** A table with a heading. All rows have the same columns. */
export function tableLines(rows: ReadonlyArray<Readonly<Record<string, unknown>>>): string[] {
    const columns = Object.keys(rows[0] ?? {});
    const cells = [columns.map((name) => name.toUpperCase()), ...rows.map((row) => columns.map((c) => shown(row[c])))];
    const widths = columns.map((_, column) => widest(cells.map((row) => row[column] ?? '')));
    return cells.map((row) =>
        row
            .map((cell, column) => cell.padEnd(widths[column] ?? 0))
            .join('  ')
            .trimEnd(),
    );
}

/** The length of the longest text. */
export const widest = (texts: readonly string[]): number =>
    texts.reduce((longest, { length }) => Math.max(longest, length), 0);

/** Breaks a text into lines of at most `width` characters. */
export function wrapped(text: string, width: number): string[] {
    const lines: string[] = [];
    for (const word of text.split(' ')) {
        const last = lines.at(-1);
        if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
        else lines[lines.length - 1] = `${last} ${word}`;
    }
    return lines;
}

const CODES = { green: 32, red: 31 } as const;

/** Colours a text if there are colours. */
export function coloured(text: string, colour: keyof typeof CODES, { stdout, env }: Pick<World, 'stdout' | 'env'>) {
    return hasColours({ stdout, env }) ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}

/** Whether standard output is a terminal with colours, and nobody objects to them (https://no-color.org). */
export function hasColours({ stdout, env }: Pick<World, 'stdout' | 'env'>): boolean {
    return Boolean(stdout.isTTY) && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
