import { invalid } from '../../platform/errors.ts';

/**
 * Throws AppError `invalid` if the text is empty. Nonce and domain are optional. They bind a presentation to one
 * occasion, which an empty text does not.
 */
export function requireBinding(name: string, text: string | undefined): void {
    if (text === '') throw invalid(`${name} must not be empty.`);
}
