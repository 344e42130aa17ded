import { z } from 'zod';
import type { Offer } from '../../../proto/gen/exchange/v1/exchange.ts';
import { DEFAULT_OFFER_SECONDS, MAX_CLAIMS_BYTES, MAX_OFFER_SECONDS, TX_CODE_LENGTH } from '../../../proto/limits.ts';
import { oneOf } from '../../answer-fields.ts';
import { endpoint } from '../../endpoint.ts';
import { jsonObject, optional, paging, wholeNumber } from '../../fields.ts';
import { ListAnswer } from '../../lists.ts';

const byOffer = z.object({ offer_id: z.string() });

export const offer = z.object({
    offer_id: z.string(),
    issuer_id: z.string(),
    configuration_id: z.string(),
    state: oneOf('open', 'redeemed', 'issued', 'locked', 'expired'),
    created_at: z.string(),
    expires_at: z.string(),
    credential_ids: z.array(z.string()),
    notification: z.string().optional(),
});

const txCode = z.object({
    length: optional(wholeNumber(TX_CODE_LENGTH)),
    input_mode: optional(z.enum(['numeric', 'text'], { error: 'must be numeric or text' })),
    description: optional(z.string()),
});

/** The endpoints with which accounts offer credentials. */
export const offerEndpoints = [
    endpoint({
        id: 'offers.create',
        summary: 'Offer a credential',
        description:
            'Makes a link that opens a wallet, which then gets the credential by OpenID4VCI with a pre-authorized code. Whoever has the link can accept the offer, so give the holder a transaction code in another way. Five wrong codes end the offer. The claims are stored sealed; only the link opens them.',
        method: 'POST',
        path: '/v1/offers',
        access: 'bearer',
        scope: 'credentials:issue',
        status: 201,
        message: 'Offer created. Pass its link on now: it is not shown again.',
        byKey: 'secret',
        actsOn: 'offer_id',
        body: z.object({
            issuer_id: z.string(),
            configuration_id: z.string(),
            claims: jsonObject(MAX_CLAIMS_BYTES),
            subject_did: optional(z.string()),
            expiration_date: optional(z.string()),
            expires_in: optional(wholeNumber({ min: 1, max: MAX_OFFER_SECONDS, default: DEFAULT_OFFER_SECONDS })),
            tx_code: optional(txCode),
        }),
        answer: offer
            .omit({ credential_ids: true, notification: true })
            .extend({ offer_uri: z.string(), tx_code: z.string().optional() }),
        async call({ body, services, context }) {
            const { offer: created, ...secrets } = await services.exchange.createOffer(body, context);
            return { ...(created as Offer), ...secrets }; // it is always there
        },
    }),

    endpoint({
        id: 'offers.list',
        summary: 'List offers',
        description: 'Newest first. Offers are removed a day after they have expired.',
        method: 'GET',
        path: '/v1/offers',
        access: 'bearer',
        scope: 'credentials:read',
        status: 200,
        message: 'Offers',
        query: paging,
        answer: z.object({ offers: z.array(offer), total: z.number() }),
        async call({ query, services }) {
            return new ListAnswer({
                field: 'offers',
                paging: query,
                async fetch(page, context) {
                    const { offers, next_cursor, total } = await services.exchange.listOffers(page, context);
                    return { rows: offers, next_cursor, total };
                },
            });
        },
    }),

    endpoint({
        id: 'offers.get',
        summary: 'Get an offer',
        method: 'GET',
        path: '/v1/offers/{offer_id}',
        access: 'bearer',
        scope: 'credentials:read',
        status: 200,
        message: 'Offer',
        params: byOffer,
        answer: offer,
        call: ({ params, services, context }) => services.exchange.getOffer(params, context),
    }),

    endpoint({
        id: 'offers.delete',
        summary: 'Delete an offer',
        description: 'It can no longer be accepted. Credentials that were issued stay as they are.',
        method: 'DELETE',
        path: '/v1/offers/{offer_id}',
        access: 'bearer',
        scope: 'credentials:issue',
        status: 200,
        message: 'Offer deleted',
        actsOn: 'offer_id',
        params: byOffer,
        answer: byOffer,
        call: ({ params, services, context }) => services.exchange.deleteOffer(params, context),
    }),
];
