export const DAY_MS = 86_400_000;

/** The UTC day of a time (ms since 1970) as YYYY-MM-DD. */
export function dayText(time: number): string {
    return new Date(time).toISOString().slice(0, 10);
}
