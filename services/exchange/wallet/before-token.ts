import type { CallContext } from '../../../platform/context.ts';
import { isId } from '../../../platform/uuid.ts';
import type {
    CredentialOffer,
    GetCredentialOfferRequest,
    GetNonceRequest,
    GetNonceResponse,
    IssuerMetadata,
} from '../../../proto/gen/exchange/v1/exchange.ts';
import { configurationOf } from '../rows.ts';
import { credentialIssuer, offersNothing, servesHttps, unknownOffer } from '../rules.ts';
import { codeOf, hashOf } from '../secrets.ts';
import type { WalletDependencies } from './dependencies.ts';
import { canStillIssue } from './offer-maker.ts';

/* What a wallet reads before it has an access token, and anybody else may read. */

/** The offer of a link, until it expires: a wallet may fetch it several times (OpenID4VCI 1.0, section 4.1.3). */
export async function getCredentialOffer(
    deps: WalletDependencies,
    { issuer_id, secret }: GetCredentialOfferRequest,
    context: CallContext,
): Promise<CredentialOffer> {
    const { store, publicUrl, clock } = deps;
    if (!isId(issuer_id)) throw unknownOffer();
    const now = new Date(clock()).toISOString();
    const row = await store.findByLink({ issuer: issuer_id, hash: hashOf(secret), now }, context);
    if (!row) throw unknownOffer();
    if (!(await canStillIssue(deps, row, context))) throw unknownOffer();
    return {
        credential_issuer: credentialIssuer(publicUrl, issuer_id),
        configuration_id: row.configuration,
        code: codeOf(secret),
        tx_code: row.tx_code === null ? undefined : JSON.parse(row.tx_code), // the service has written it
    };
}

/**
 * What an issuer offers, for anybody. Throws `not_found` if it offers nothing. An archived issuer keeps its metadata: what it
 * has issued stays valid, and wallets show it with these names and pictures. Its account may delete the configurations.
 */
export async function getIssuerMetadata(
    { store, publicUrl }: WalletDependencies,
    { issuer_id }: { issuer_id: string },
    context: CallContext,
): Promise<IssuerMetadata> {
    const rows = isId(issuer_id) ? await store.configurations(issuer_id, context) : [];
    if (rows.length === 0) throw offersNothing();
    return {
        credential_issuer: credentialIssuer(publicUrl, issuer_id),
        configurations: rows.map(configurationOf),
    };
}

/**
 * Throws `not_found` if the issuer offers nothing. A process asks once in each lease, so nonces go on for a while after the
 * last configuration is deleted.
 */
export async function getNonce(
    { nonces, publicUrl, issuerOffers }: WalletDependencies,
    { issuer_id }: GetNonceRequest,
    context: CallContext,
): Promise<GetNonceResponse> {
    const offers = servesHttps(publicUrl) && isId(issuer_id) && (await issuerOffers(issuer_id, context));
    if (!offers) throw offersNothing();
    return { c_nonce: nonces.make(issuer_id) };
}
