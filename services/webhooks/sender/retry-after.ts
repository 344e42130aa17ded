/** Seconds, or the date of RFC 9110 (IMF-fixdate). */
const SECONDS = /^\d{1,9}$/;
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** What `Retry-After` (RFC 9110, 10.2.3) asks for, in milliseconds. Undefined if it says nothing that can be read. */
export function retryAfterMs(text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const ms = SECONDS.test(text) ? Number(text) * 1_000 : DATE.test(text) ? Date.parse(text) - Date.now() : Number.NaN;
    return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}
