import type { Client } from '../../client/src/client.ts';
import type { ManagedIssuer } from './issuer-steps.ts';
import type { Step } from './step.ts';

/** Describes a credential of an issuer, offers it, and takes both back. */
export function offerSteps({ configurations, offers }: Client, { issuer_id }: ManagedIssuer): Step[] {
    const configuration = { issuer_id, configuration_id: 'membership' };
    let offerId = '';
    return [
        () => configurations.create({ ...configuration, format: 'dc+sd-jwt', vct: 'https://club.example/membership' }),
        () => configurations.list({ issuer_id }),
        () => configurations.get(configuration),
        async () => {
            const made = await offers.create({ ...configuration, claims: { level: 1 }, tx_code: { length: 4 } });
            offerId = made.offer_id;
        },
        () => offers.list({ limit: 10 }),
        () => offers.get({ offer_id: offerId }),
        () => offers.delete({ offer_id: offerId }),
        () => configurations.delete(configuration),
    ];
}
