import { JsonError, parseJson } from '../../platform/json.ts';
import { CliError } from './errors.ts';

/**
 * Parses a JSON object with the rules of the service, so that what the service would refuse is found here. Throws
 * CliError that begins with `what`.
 */
export function parseObject(text: string, what: string): Record<string, unknown> {
    let value: unknown;
    try {
        value = parseJson(text, { raw: new Set() });
    } catch (error) {
        if (error instanceof JsonError) throw new CliError(`${what} cannot be used: ${error.message}.`);
        throw error;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new CliError(`${what} must be a JSON object: {"name": "value"}.`);
    }
    const inexact = inexactNumber(text);
    if (inexact !== undefined) {
        throw new CliError(
            `${what} has the number ${inexact}, which would lose digits. Write it as a text, in quotes.`,
        );
    }
    return value as Record<string, unknown>; // every object has this type
}

/** Returns the first number of a JSON text that JavaScript cannot represent exactly enough to write it again. */
function inexactNumber(text: string): string | undefined {
    for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g)) {
        if (!token.startsWith('"') && decimalOf(token) !== decimalOf(String(Number(token)))) return token;
    }
    return undefined;
}

/** The value of a number as its digits without zeros at the ends, and the power of ten behind them. */
function decimalOf(number: string): string {
    const [, sign = '', whole = '', fraction = '', power = '0'] =
        /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
    const digits = `${whole}${fraction}`.replace(/^0+/, '');
    const significant = digits.replace(/(?<!0)0+$/, '');
    if (significant === '') return '0';
    return `${sign}${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}
