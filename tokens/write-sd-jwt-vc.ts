import { stringifyJson } from '../platform/json.ts';
import { type Concealed, type ConcealPrimitives, conceal, hasReservedName, RESERVED } from './concealing.ts';
import type { CredentialContent } from './credential.ts';
import { isCredentialType } from './credential.ts';
import { REGISTERED_CLAIMS } from './sd-jwt-vc.ts';
import { isUri } from './texts.ts';

/** Whose key the holder of a credential proves to have (RFC 7800): her key, or a DID URL that names it. */
export type Confirmation = { jwk: object } | { kid: string };

export interface NewSdJwtVc
    extends Pick<CredentialContent, 'credential_id' | 'issuer' | 'subject' | 'issued_at' | 'expires_at'> {
    vct: string;
    holder: Confirmation | undefined;
    /** Its place on the list of its issuer. */
    place: { idx: number; uri: string } | undefined;
    /** The claims, with digests in place of what is disclosable. */
    concealed: Concealed['payload'];
}

/** True if the text may be the type of an SD-JWT VC. */
export function isVct(text: string): boolean {
    return isCredentialType(text) && isUri(text);
}

/**
 * Says why the claims are none of an SD-JWT VC: none may have the name of a member that says what the credential is. The
 * text may be shown to callers.
 */
export function claimsFault(claims: Record<string, unknown>): string | undefined {
    const taken = Object.keys(claims).find((name) => REGISTERED_CLAIMS.has(name));
    if (taken !== undefined) return `claims may not have a member named ${taken}.`;
    return hasReservedName(claims) ? RESERVED : undefined;
}

/** Conceals the claims of a new SD-JWT VC as conceal() does. */
export function concealVc(
    claims: Record<string, unknown>,
    disclosable: readonly string[] | undefined,
    primitives: ConcealPrimitives,
): Concealed | { fault: string } {
    const fault = claimsFault(claims);
    return fault === undefined ? conceal(claims, disclosable, primitives) : { fault };
}

/** Returns the payload of an SD-JWT VC as JSON. */
export function writeSdJwtVc({ place, holder, concealed, ...content }: NewSdJwtVc): string {
    return stringifyJson({
        iss: content.issuer,
        sub: content.subject,
        iat: secondsOf(content.issued_at),
        exp: content.expires_at === undefined ? undefined : secondsOf(content.expires_at),
        jti: content.credential_id,
        vct: content.vct,
        cnf: holder,
        status: place && { status_list: place },
        ...concealed,
    });
}

/** A NumericDate (RFC 7519). */
function secondsOf(time: string): number {
    return Math.floor(Date.parse(time) / 1_000);
}
