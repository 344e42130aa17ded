import type { IncomingMessage } from 'node:http';
import { WORST_HEADERS, WORST_JSON } from './worst-texts.ts';

/** A function that parses input from unknown callers. */
export interface Parser {
    /** `file:function`. */
    at: string;
    /** Length of the longest input that the function can receive, in characters. */
    longest: number;
    /** The inputs that take longest to parse, by name. Each function returns about `size` characters. */
    worst: Record<string, (size: number) => string>;
    run(input: string): unknown;
}

export const MIB = 1 << 20;
export const HEADER = 15 << 10;
export const CLAIMS = 64 << 10;
export const filled = (before: string, unit: string, after = ''): ((size: number) => string) => {
    return (size) => before + unit.repeat(Math.ceil(size / unit.length)) + after;
};
export const letters = { letters: filled('', 'a'), 'two-byte letters': filled('', 'é'), hyphens: filled('', '-') };
export const base64 = { base64: filled('', 'QUJD'), padding: filled('', '='), 'other characters': filled('', '!') };
export const header = (name: string, value: string): IncomingMessage =>
    ({
        headers: { [name]: value, host: 'test' },
        rawHeaders: Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? name : value)),
        httpVersion: '1.1',
        socket: { remoteAddress: '127.0.0.1' },
    }) as unknown as IncomingMessage; // only the members that these functions read
const fieldValue = (line: string): string => line.slice(line.indexOf(':') + 1);
export const values = Object.fromEntries(
    Object.entries(WORST_HEADERS).map(([what, textOf]) => [what, (size: number) => fieldValue(textOf(size))]),
);
export const tokens = {
    ...Object.fromEntries(
        Object.entries(WORST_JSON).map(([what, textOf]) => [
            what,
            (size: number) => `v4.public.${Buffer.from(textOf((size * 3) >> 2)).toString('base64url')}`,
        ]),
    ),
    dots: filled('v4.public.', 'a.'),
    'one long part': filled('v4.public.', 'A'),
};

/** Calls `run` and ignores its error: parsers refuse most of these inputs, and only the time matters. */
export function attempt(run: () => unknown): void {
    try {
        run();
    } catch {
        // The parser refused the input.
    }
}
