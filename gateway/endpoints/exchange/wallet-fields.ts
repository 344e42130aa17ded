import { z } from 'zod';
import { MAX_OFFER_KEYS } from '../../../proto/limits.ts';
import type { WalletError } from '../../../proto/openid4vci.ts';
import type { Input } from '../../endpoint.ts';
import { anyItem, listOf, optional } from '../../fields.ts';

/** The proof in DPoP. Several (RFC 9449, section 4.3) are passed on as one that is none: the service refuses them alike. */
export const dpop = z.object({
    dpop: z.preprocess((sent) => (Array.isArray(sent) ? '' : sent), z.string().optional()).optional(),
});

const proofLists = z.strictObject({ jwt: optional(listOf(z.string(), { max: MAX_OFFER_KEYS })) });
const NO_PROOFS = `must have only jwt: a list of at most ${MAX_OFFER_KEYS} proofs, each a string`;

/** They are refused as a whole, with the error that wallets know. The OpenAPI document shows the form. */
export const proofs = anyItem(proofLists).transform((value, context): z.output<typeof proofLists> => {
    const parsed = proofLists.safeParse(value);
    if (parsed.success) return parsed.data;
    const reason: WalletError = 'invalid_proof';
    context.addIssue({ code: 'custom', message: NO_PROOFS, params: { reason } });
    return z.NEVER;
});

/** The access token of a wallet, with its proof if it was sent as `DPoP`. */
export function presented({
    bearer = '',
    sentAsDpop,
    headers,
}: Pick<Input<unknown, unknown, z.infer<typeof dpop>, unknown>, 'bearer' | 'sentAsDpop' | 'headers'>) {
    return { access_token: bearer, dpop: sentAsDpop ? (headers.dpop ?? '') : undefined };
}
