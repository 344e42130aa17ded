import { Problem } from './problem.ts';

/** Maximum number of processes of one kind that the launchers start. */
export const MOST_PROCESSES = 64;

/** Returns a setting of the launchers that is a number. Throws Problem. */
export function countSetting(
    given: Record<string, string | undefined>,
    name: string,
    preset: number,
    most = MOST_PROCESSES,
): number {
    const count = Number(given[name] ?? preset);
    if (Number.isInteger(count) && count >= 1 && count <= most) return count;
    throw new Problem(`${name} must be a whole number from 1 to ${most}.`);
}
