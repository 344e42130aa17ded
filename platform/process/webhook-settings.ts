import { z } from 'zod';
import { notes } from './setting-notes.ts';

const GROUP = 'Webhooks';

/** Settings of the role that sends events to webhooks. */
export const WEBHOOK_SETTINGS = {
    /** The role also refuses entries that match nothing (services/webhooks/sender/addresses.ts). */
    WEBHOOK_NETWORKS: z
        .string()
        .default('')
        .transform((text) => text.split(',').map((network) => network.trim()))
        .transform((networks) => networks.filter((network) => network !== ''))
        .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'must be networks such as 10.1.0.0/16, separated by commas')))
        .meta(
            notes(
                GROUP,
                'Networks that webhooks may be in although they are not public, such as `127.0.0.0/8` for receivers on this machine, separated by commas.',
                { default: 'none' },
            ),
        ),
    WEBHOOK_CA: z
        .string()
        .optional()
        .meta(
            notes(
                GROUP,
                'Certificates of the authorities that receivers of webhooks may have, in PEM, instead of those that Node trusts.',
                { default: 'those that Node trusts' },
            ),
        ),
};
