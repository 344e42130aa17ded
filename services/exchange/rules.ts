import { type CallContext, requireUser, withoutIdempotencyKey } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { isId } from '../../platform/uuid.ts';
import type { Issuer } from '../../proto/gen/signing/v1/signing.ts';
import type { ExchangeDependencies } from './dependencies.ts';
import type { OwnConfiguration, OwnOffer } from './rows.ts';

const CONFIGURATION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function isConfigurationId(text: string): boolean {
    return CONFIGURATION_ID.test(text);
}

/** Only at such an address can an issuer offer something (OpenID4VCI 1.0, section 12.2.1). */
export function servesHttps(publicUrl: string | undefined): publicUrl is string {
    return publicUrl?.startsWith('https://') === true;
}

/**
 * The identifier of an issuer towards wallets: credential issuer, authorization server and audience of proofs. Throws
 * `not_found` if the service has no public URL.
 */
export function credentialIssuer(publicUrl: string | undefined, issuerId: string): string {
    if (!servesHttps(publicUrl)) throw offersNothing();
    return `${publicUrl}/issuers/${issuerId}`;
}

/**
 * Returns an issuer of the account that can offer credentials, and its identifier. Throws AppError `invalid` unless it is
 * a did:web of this public URL with https, `not_found` for an issuer of another account and `conflict` for an archived one.
 */
export async function offeringIssuer(
    { services, publicUrl }: Pick<ExchangeDependencies, 'services' | 'publicUrl'>,
    issuerId: string,
    context: CallContext,
): Promise<{ issuer: Issuer; identifier: string }> {
    if (!servesHttps(publicUrl)) throw invalid('This service has no PUBLIC_URL with https, so it offers nothing.');
    const issuer = await services.signing.getIssuer({ issuer_id: issuerId }, withoutIdempotencyKey(context));
    const identifier = credentialIssuer(publicUrl, issuer.issuer_id);
    if (webUrl(issuer.did) !== identifier)
        throw invalid('issuer_id must name a did:web issuer that was made with the present PUBLIC_URL.');
    if (issuer.archived_at !== undefined) throw new AppError('conflict', 'This issuer is archived.');
    return { issuer, identifier };
}

/** Throws AppError `conflict` if no wallet could take a credential of this issuer now. */
export function refuseWithoutKey({ keys }: Issuer): void {
    if (!keys.some(({ state }) => state === 'active'))
        throw new AppError('conflict', 'This issuer has no active key. Rotate it first.');
}

/** The URL below which the document of a did:web is. For another DID the result is no URL of this service. */
function webUrl(did: string): string {
    return `https://${did.slice('did:web:'.length).replaceAll(':', '/').replace('%3A', ':')}`;
}

export function ownConfiguration(issuerId: string, id: string, context: CallContext): OwnConfiguration {
    const account = requireUser(context);
    if (!isId(issuerId) || !isConfigurationId(id)) throw unknownConfiguration();
    return { account, issuer: issuerId, id };
}

export function newConfigurationId(id: string): string {
    if (isConfigurationId(id)) return id;
    throw invalid(
        'configuration_id must have 1 to 64 letters, digits, dots, underscores and hyphens, and begin with a letter or digit.',
    );
}

export function unknownConfiguration(): AppError {
    return new AppError('not_found', 'This issuer has no configuration with this id.');
}

/** The offer that a call of an account names. Throws `not_found` for a malformed id. */
export function ownOffer(offerId: string, context: CallContext): OwnOffer {
    const account = requireUser(context);
    if (!isId(offerId)) throw unknownOffer();
    return { account, id: offerId };
}

export function offersNothing(): AppError {
    return new AppError('not_found', 'This issuer offers nothing.');
}

export function unknownOffer(): AppError {
    return new AppError('not_found', 'This offer does not exist.');
}
