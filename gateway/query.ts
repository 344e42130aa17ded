import { AppError } from '../platform/errors.ts';

/** The values of a parameter that stands in a query more than once. */
export class Repeated extends Array<string> {}

/** The query's parameters, each decoded once. */
export function parseQuery(url: string): Record<string, string | Repeated> {
    const start = url.indexOf('?');
    const query: Record<string, string | Repeated> = Object.create(null);
    if (start < 0) return query;
    for (const pair of url.slice(start + 1).split('&')) {
        if (pair === '') continue;
        const equals = pair.indexOf('=');
        const name = decode(equals < 0 ? pair : pair.slice(0, equals));
        const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
        const earlier = query[name];
        query[name] = earlier === undefined ? value : Repeated.of(...[earlier].flat(), value);
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
