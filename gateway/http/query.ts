import { invalid } from '../../platform/errors.ts';

/** The value of a parameter that a query has more than once. No endpoint accepts repeated parameters. */
export const REPEATED = Symbol('given more than once');

/** Maximum number of parameters in a query or a form: more than any endpoint has. Beyond it: `invalid`. */
const MAX_PARAMETERS = 100;

type Pairs = Record<string, string | typeof REPEATED>;

/** Returns the decoded parameters of the query. Throws AppError `invalid`. */
export function parseQuery(url: string): Pairs {
    const start = url.indexOf('?');
    return parsePairs(start < 0 ? '' : url.slice(start + 1), 'query');
}

/** Returns the decoded parameters of a query or a form. Throws AppError `invalid`. */
export function parsePairs(text: string, where: 'query' | 'form'): Pairs {
    const parameters: Pairs = Object.create(null);
    const pairs = text.split('&', MAX_PARAMETERS + 1);
    if (pairs.length > MAX_PARAMETERS) throw invalid(`A ${where} may have at most ${MAX_PARAMETERS} parameters.`);
    for (const pair of pairs) {
        if (pair === '') continue;
        const equals = pair.indexOf('=');
        const name = decode(equals < 0 ? pair : pair.slice(0, equals), where);
        const value = equals < 0 ? '' : decode(pair.slice(equals + 1), where);
        parameters[name] = name in parameters ? REPEATED : value;
    }
    return parameters;
}

function decode(text: string, where: string): string {
    try {
        return decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
        throw invalid(`The ${where} is not properly percent-encoded.`);
    }
}
