import type { CallContext } from '../../../platform/context.ts';
import { isId } from '../../../platform/uuid.ts';
import type { RedeemRequest, RedeemResponse } from '../../../proto/gen/exchange/v1/exchange.ts';
import { PRE_AUTHORIZED_CODE } from '../../../proto/openid4vci.ts';
import { credentialIssuer } from '../rules.ts';
import { hashOf, newSecret, sealFor, txHashOf, unsealFor } from '../secrets.ts';
import type { WalletDependencies } from './dependencies.ts';
import { oauthError } from './oauth-error.ts';
import { canStillIssue } from './offer-maker.ts';

/** How long an access token can be used, in seconds. Beyond it: 401. */
const TOKEN_SECONDS = 300;

/**
 * Exchanges a pre-authorized code for an access token (OpenID4VCI 1.0, section 6). A wrong transaction code spends nothing,
 * but the fifth one ends the offer.
 */
export async function redeem(
    deps: WalletDependencies,
    { issuer_id, grant_type, code, tx_code, dpop }: RedeemRequest,
    context: CallContext,
): Promise<RedeemResponse> {
    const { store, pepper, clock } = deps;
    if (grant_type !== PRE_AUTHORIZED_CODE)
        throw oauthError('unsupported_grant_type', `grant_type must be ${PRE_AUTHORIZED_CODE}.`);
    if (code === undefined) throw oauthError('invalid_request', 'pre-authorized_code is required.');
    if (!isId(issuer_id)) throw unknownCode();
    const at = clock();
    const now = new Date(at).toISOString();
    const offer = await store.findByCode({ issuer: issuer_id, hash: hashOf(code), now }, context);
    if (!offer) throw unknownCode();
    if (offer.needs_tx_code !== (tx_code !== undefined)) {
        const detail = offer.needs_tx_code ? 'tx_code is required.' : 'This offer has no tx_code.';
        throw oauthError('invalid_request', detail);
    }
    if (!(await canStillIssue(deps, offer, context))) throw unknownCode();
    const dpopJkt = dpop === undefined ? undefined : await dpopThumbprint(deps, issuer_id, dpop);
    const plain = unsealFor(offer.id, offer.sealed, { secret: code, pepper });
    if (!plain) throw unknownCode(); // the pepper has been replaced since
    const token = newSecret();
    const spending = {
        id: offer.id,
        tx_hash: tx_code === undefined ? undefined : txHashOf(tx_code, { code, pepper }),
        token_hash: hashOf(token),
        sealed: sealFor(offer.id, plain, { secret: token, pepper }),
        dpop_jkt: dpopJkt,
        now,
        token_expires_at: new Date(at + TOKEN_SECONDS * 1_000).toISOString(),
    };
    plain.fill(0);
    const outcome = await store.spend(spending, context);
    if (outcome === 'wrong') throw oauthError('invalid_grant', 'The transaction code is not right.');
    if (outcome === 'gone') throw unknownCode();
    return { access_token: token, token_type: dpopJkt === undefined ? 'Bearer' : 'DPoP', expires_in: TOKEN_SECONDS };
}

function unknownCode() {
    return oauthError('invalid_grant', 'The code is unknown, used, expired, or was tried too often.');
}

async function dpopThumbprint({ dpopProofs, publicUrl }: WalletDependencies, issuerId: string, proof: string) {
    const url = `${credentialIssuer(publicUrl, issuerId)}/token`;
    const thumbprint = await dpopProofs.keyOf(proof, { method: 'POST', url });
    if (thumbprint === undefined) throw oauthError('invalid_dpop_proof', 'The DPoP proof is not acceptable.');
    return thumbprint;
}
