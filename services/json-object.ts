import { invalid } from '../platform/errors.ts';
import { JsonError, JsonText, parseJson } from '../platform/json.ts';

/**
 * Checks that the text is one JSON object of at most `max_bytes`; else AppError `invalid`, which names the field. It is read
 * where it will stand, as a member of an object, so that none is kept that is too deep to be read again; and a text that
 * closes the member before its own end is found out.
 */
export function requireJsonObject(field: string, text: string, max_bytes: number): void {
    if (Buffer.byteLength(text) > max_bytes) throw invalid(`${field} may have ${max_bytes} bytes.`);
    const member = readMember(field, text);
    if (member instanceof JsonText && member.text === text) return;
    throw invalid(`${field} must be a JSON object.`);
}

function readMember(field: string, text: string): unknown {
    try {
        // An object literal, since it is parsed from one.
        return (parseJson(`{"${field}":${text}}`, { raw: new Set([field]) }) as Record<string, unknown>)[field];
    } catch (error) {
        if (!(error instanceof JsonError)) throw error;
        throw invalid(`The JSON of ${field} is not acceptable: ${error.message}.`);
    }
}
