import { z } from 'zod';
import { MAX_OFFER_KEYS } from '../../../proto/limits.ts';
import type { Input } from '../../endpoint.ts';
import { listOf, optional, refusedAs } from '../../fields.ts';

/** The proof in DPoP. Several (RFC 9449, section 4.3) are passed on as one that is none: the service refuses them alike. */
export const dpop = z.object({
    dpop: z.preprocess((sent) => (Array.isArray(sent) ? '' : sent), z.string().optional()).optional(),
});

export const proofs = refusedAs(z.strictObject({ jwt: optional(listOf(z.string(), { max: MAX_OFFER_KEYS })) }), {
    reason: 'invalid_proof',
    message: `must have only jwt: a list of at most ${MAX_OFFER_KEYS} proofs, each a string`,
});

/** The access token of a wallet, with its proof if it was sent as `DPoP`. */
export function presented({
    bearer = '',
    sentAsDpop,
    headers,
}: Pick<Input<unknown, unknown, z.infer<typeof dpop>, unknown>, 'bearer' | 'sentAsDpop' | 'headers'>) {
    return { access_token: bearer, dpop: sentAsDpop ? (headers.dpop ?? '') : undefined };
}
