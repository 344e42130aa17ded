import type { CallContext } from '../../../platform/context.ts';
import { isId } from '../../../platform/uuid.ts';
import { CreateOfferRequest, type IssueCredentialRequest } from '../../../proto/gen/exchange/v1/exchange.ts';
import { credentialIssuer } from '../rules.ts';
import { hashOf, unsealFor } from '../secrets.ts';
import type { WalletDependencies } from './dependencies.ts';
import type { TokenOfferRow } from './lookups.store.ts';
import { invalidToken } from './oauth-error.ts';
import { makerIsActive } from './offer-maker.ts';

/** An offer whose access token a wallet has presented. */
export interface TokenOffer extends TokenOfferRow {
    terms: CreateOfferRequest;
}

/** How a wallet presents its access token. */
type AuthorizedRequest = Pick<IssueCredentialRequest, 'issuer_id' | 'access_token' | 'dpop'>;

/** Finds the offer of an access token, and opens its claims, which are sealed under the token. Throws `unauthenticated`. */
export async function offerOfToken(
    { store, services, dpopProofs, publicUrl, pepper, clock }: WalletDependencies,
    { issuer_id, access_token, dpop }: AuthorizedRequest,
    path: string,
    context: CallContext,
): Promise<TokenOffer> {
    if (!isId(issuer_id)) throw invalidToken();
    const now = new Date(clock()).toISOString();
    const asked = { issuer: issuer_id, hash: hashOf(access_token), now };
    const row = await store.findByToken(asked, context);
    const plain = row && unsealFor(row.id, row.sealed, { secret: access_token, pepper });
    // A DPoP token needs a proof, and a bearer token must come without one.
    if (!plain || (row.dpop_jkt === null) !== (dpop === undefined)) throw invalidToken();
    if (dpop !== undefined) {
        const url = `${credentialIssuer(publicUrl, issuer_id)}${path}`;
        const thumbprint = await dpopProofs.keyOf(dpop, { method: 'POST', url, token: access_token });
        if (thumbprint !== row.dpop_jkt) throw invalidToken('invalid_dpop_proof');
    }
    const terms = CreateOfferRequest.decode(plain);
    plain.fill(0);
    if (!(await makerIsActive({ services }, row, context))) throw invalidToken();
    return { ...row, terms };
}
