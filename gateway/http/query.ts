import { AppError } from '../../platform/errors.ts';

/** The value of a parameter that a query has more than once. No endpoint accepts repeated parameters. */
export const REPEATED = Symbol('given more than once');

/** Maximum number of parameters in a query: more than any endpoint has. Beyond it: `invalid`. */
const MAX_PARAMETERS = 100;

/** Returns the decoded parameters of the query. Throws AppError `invalid`. */
export function parseQuery(url: string): Record<string, string | typeof REPEATED> {
    const query: Record<string, string | typeof REPEATED> = Object.create(null);
    const start = url.indexOf('?');
    if (start < 0) return query;
    const pairs = url.slice(start + 1).split('&', MAX_PARAMETERS + 1);
    if (pairs.length > MAX_PARAMETERS) {
        throw new AppError('invalid', `A query may have at most ${MAX_PARAMETERS} parameters.`);
    }
    for (const pair of pairs) {
        if (pair === '') continue;
        const equals = pair.indexOf('=');
        const name = decode(equals < 0 ? pair : pair.slice(0, equals));
        const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
        query[name] = name in query ? REPEATED : value;
    }
    return query;
}

function decode(text: string): string {
    try {
        return decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
        throw new AppError('invalid', 'The query is not properly percent-encoded.');
    }
}
