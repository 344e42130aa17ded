import { z } from 'zod';

/** A URL to which paths are appended. It has no trailing slash, query, fragment or credentials. */
export const baseUrlSetting = z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true })
    .refine((text) => {
        const { username, password } = new URL(text);
        return username === '' && password === '' && !/[?#]/.test(text);
    }, 'must have no credentials, no query and no fragment')
    .transform((text) => new URL(text).href.replace(/(?<!\/)\/+$/, ''))
    .optional();
