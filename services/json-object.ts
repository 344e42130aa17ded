import { invalid } from '../platform/errors.ts';
import { JsonError, JsonText, parseJson } from '../platform/json.ts';

/**
 * Checks that the text is one JSON object of at most `max_bytes`; otherwise AppError `invalid`, which names the field.
 * The text is parsed in the place where it will stand, as a member of an object. So an object that would be too deep
 * there is refused, and so is a text that closes the member early.
 */
export function requireJsonObject(field: string, text: string, max_bytes: number): void {
    if (Buffer.byteLength(text) > max_bytes) throw invalid(`${field} may have ${max_bytes} bytes.`);
    const member = readMember(field, text);
    if (member instanceof JsonText && member.text === text) return;
    throw invalid(`${field} must be a JSON object.`);
}

function readMember(field: string, text: string): unknown {
    try {
        // It was parsed from an object literal.
        return (parseJson(`{"${field}":${text}}`, { raw: new Set([field]) }) as Record<string, unknown>)[field];
    } catch (error) {
        if (!(error instanceof JsonError)) throw error;
        throw invalid(`The JSON of ${field} is not acceptable: ${error.message}.`);
    }
}
