import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError, invalid } from '../../platform/errors.ts';
import { JsonError, parseJson } from '../../platform/json.ts';
import { parsePairs, REPEATED } from './query.ts';

/** The media type of a body of JSON. */
export const JSON_TYPE = 'application/json';
/** The media type of a form. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Largest form, in bytes. Beyond it: 413. */
export const MAX_FORM_BYTES = 8 << 10;
/** Members whose JSON text is passed on exactly as it was sent (decision C3). */
const RAW_MEMBERS: ReadonlySet<string> = new Set(['claims', 'metadata', 'holder_key']);
/** The list in the body of a batch. Its items have the same members as the bodies of single calls. */
const LIST = 'items';
/**
 * Maximum number of commas in one body, which limits the number of values. Claims of 64 KiB have at most 32,768; a body
 * of 1 MiB could have 500,000. Beyond it: `invalid`.
 */
const MAX_BODY_COMMAS = 40_000;

/**
 * Returns the JSON object in the request body, or an empty object if there is no body. Throws AppError `invalid` or
 * `unsupported_media_type`.
 */
export function parseBody(headers: IncomingHttpHeaders, bytes: Buffer): object {
    if (bytes.length === 0) return {};
    requireMediaType(headers, JSON_TYPE);
    if (!isUtf8(bytes)) throw new AppError('invalid', 'The body is not valid UTF-8.');
    const value = parseText(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new AppError('invalid', 'The body must be a JSON object.');
}

function parseText(text: string): unknown {
    try {
        return parseJson(text, { raw: RAW_MEMBERS, list: LIST, maxCommas: MAX_BODY_COMMAS });
    } catch (error) {
        if (error instanceof JsonError) throw new AppError('invalid', `The body is not usable JSON: ${error.message}.`);
        throw error;
    }
}

/**
 * Returns the parameters of a form that have a value. Throws AppError `invalid`, also for another media type: that is
 * `invalid_request` in OAuth 2.0.
 */
export function parseForm(headers: IncomingHttpHeaders, bytes: Buffer): object {
    if (mediaTypeOf(headers) !== FORM_TYPE || isEncoded(headers))
        throw invalid(`The body must be sent as ${FORM_TYPE}.`);
    const sent = Object.entries(parsePairs(bytes.toString('latin1'), 'form'));
    if (sent.some(([, value]) => value === REPEATED)) throw invalid('A parameter is given more than once.');
    return Object.fromEntries(sent.filter(([, value]) => value !== ''));
}

/**
 * Throws AppError `unsupported_media_type` unless the header says that the body is of this media type, not compressed.
 */
export function requireMediaType(headers: IncomingHttpHeaders, required: string): void {
    if (mediaTypeOf(headers) !== required) {
        throw new AppError('unsupported_media_type', `The body must be sent as ${required}.`);
    }
    if (isEncoded(headers)) throw new AppError('unsupported_media_type', 'Compressed bodies are not accepted.');
}

function mediaTypeOf(headers: IncomingHttpHeaders): string | undefined {
    return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

function isEncoded(headers: IncomingHttpHeaders): boolean {
    const encoding = headers['content-encoding'];
    return encoding !== undefined && encoding.toLowerCase() !== 'identity';
}
