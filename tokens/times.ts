const DATE = /^\d{4}-\d\d-\d\d$/;
/** `YYYY-MM-DDTHH:mm[:ss[.f…]]` and an offset: `Z`, `±HH`, `±HHmm` or `±HH:mm`. */
const DATE_TIME =
    /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/i;

/**
 * The form that this service writes, which is the form of nearly all times that it reads. Only days that every month
 * has match. Creating a Date takes more than ten times as long.
 */
const WRITTEN = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/**
 * Returns the instant of an ISO 8601 date-time with an offset, as `YYYY-MM-DDTHH:mm:ss.sssZ`, truncated to
 * milliseconds. Undefined for any other text, for a day that its month does not have, and for a year outside 1 to 9999
 * in UTC: this form and PostgreSQL support no others.
 */
export function readDateTime(text: string): string | undefined {
    return WRITTEN.test(text) ? text : readAnyDateTime(text);
}

function readAnyDateTime(text: string): string | undefined {
    const match = DATE_TIME.exec(text);
    if (!match) return undefined;
    const [, date, time, seconds = '00', fraction = '', sign, hours = '0', minutes = '0'] = match;
    const written = `${date}T${time}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
    const localMs = Date.parse(written);
    // Date.parse reads 30 February as 2 March.
    if (Number.isNaN(localMs) || new Date(localMs).toISOString() !== written) return undefined;
    const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
    const utc = new Date(sign === '-' ? localMs + offsetMs : localMs - offsetMs).toISOString();
    return utc.length === written.length && !utc.startsWith('0000') ? utc : undefined;
}

/** Like readDateTime, but also accepts a date alone, which means midnight in UTC. */
export function readExpiry(text: string): string | undefined {
    return readDateTime(DATE.test(text) ? `${text}T00:00Z` : text);
}

/**
 * Returns why a signed payload is not valid at `now` (milliseconds since 1970), according to nbf and exp of RFC 7519;
 * undefined if it is valid. A payload is never valid if one of them is not a time.
 */
export function outOfTime({ nbf, exp }: { nbf?: unknown; exp?: unknown }, now: number): string | undefined {
    if (nbf !== undefined && !(instantOf(nbf) <= now)) return 'is not valid yet';
    if (exp !== undefined && !(instantOf(exp) > now)) return 'has expired';
    return undefined;
}

function instantOf(value: unknown): number {
    return Date.parse((typeof value === 'string' && readDateTime(value)) || '');
}
