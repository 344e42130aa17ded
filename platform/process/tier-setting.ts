import { z } from 'zod';

/**
 * Maximum value of a tier: more than any count reaches, and exact in a double. Beyond it: the process refuses to start.
 */
const MOST = 1e15;

/** Parses a whole number for each tier, such as `free=100,pro=5000`. A tier that is not named keeps its default. */
export function tierSetting<Tier extends string>(defaults: Readonly<Record<Tier, number>>) {
    const tiers = Object.keys(defaults);
    const form = `must be tier=number, several separated by commas, with the tiers ${tiers.join(', ')}`;
    return z
        .string()
        .default('')
        .transform((text, context): Record<Tier, number> => {
            const given: Record<string, number> = {};
            for (const part of text.split(',').filter((part) => part.trim() !== '')) {
                const [tier = '', digits = ''] = part.split('=').map((side) => side.trim());
                const number = Number(digits);
                const isFit = tiers.includes(tier) && !(tier in given) && /^\d+$/.test(digits) && number <= MOST;
                if (!isFit || number < 1) {
                    context.addIssue({ code: 'custom', message: form });
                    return z.NEVER;
                }
                given[tier] = number;
            }
            return { ...defaults, ...given };
        });
}
