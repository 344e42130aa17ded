import { z } from 'zod';

/** The origins that browsers send, separated by commas. An entry in another form would never be equal to one. */
export const originsSetting = z
    .string()
    .default('')
    .transform((text) => text.split(',').map((origin) => origin.trim()))
    .transform((origins) => origins.filter((origin) => origin !== ''))
    .refine((origins) => origins.every(isOrigin), {
        error: 'must be origins as browsers send them, such as https://app.example or http://localhost:3000: in lower case, without a path, a slash at the end or the default port',
    });

function isOrigin(text: string): boolean {
    return /^https?:[^*]*$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
