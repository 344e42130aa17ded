import { invalid } from '../platform/errors.ts';
import { JsonError, JsonText, parseJson } from '../platform/json.ts';

/**
 * Throws AppError `invalid`, which names the field, unless the text is one JSON object of at most `maxBytes`. The text
 * is parsed as a member of an object, as it will be stored. This also refuses an object that would be nested too deeply
 * there, and a text that closes the member early.
 */
export function requireJsonObject(field: string, text: string, maxBytes: number): void {
    if (Buffer.byteLength(text) > maxBytes) throw invalid(`${field} may have at most ${maxBytes} bytes.`);
    const member = readMember(field, text);
    if (member instanceof JsonText && member.text === text) return;
    throw invalid(`${field} must be a JSON object.`);
}

function readMember(field: string, text: string): unknown {
    try {
        // The parsed text is an object literal.
        return (parseJson(`{"${field}":${text}}`, { raw: new Set([field]) }) as Record<string, unknown>)[field];
    } catch (error) {
        if (!(error instanceof JsonError)) throw error;
        throw invalid(`The JSON of ${field} is not acceptable: ${error.message}.`);
    }
}
