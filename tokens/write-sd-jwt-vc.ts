import { stringifyJson } from '../platform/json.ts';
import { type Concealed, type ConcealPrimitives, conceal, concealFault } from './concealing.ts';
import type { CredentialContent } from './credential.ts';
import { isCredentialType } from './credential.ts';
import { REGISTERED_CLAIMS } from './sd-jwt-vc.ts';
import { isUri } from './texts.ts';

/** The key of the holder (RFC 7800): the key itself, or a DID URL that names it. */
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

/** The fault that concealVc() finds if each claim is disclosable; undefined if there is none. */
export function claimsFault(claims: Record<string, unknown>): string | undefined {
    return contentFault(claims) ?? concealFault(claims, undefined);
}

/** Conceals the claims of a new SD-JWT VC as conceal() does. `fault` may be shown to callers. */
export function concealVc(
    claims: Record<string, unknown>,
    disclosable: readonly string[] | undefined,
    primitives: ConcealPrimitives,
): Concealed | { fault: string } {
    const fault = contentFault(claims);
    return fault === undefined ? conceal(claims, disclosable, primitives) : { fault };
}

/**
 * No claim may have the name of a member that says what the credential is. Claims are written as JavaScript has them, so an
 * integer that it does not have exactly would change.
 */
function contentFault(claims: Record<string, unknown>): string | undefined {
    const taken = Object.keys(claims).find((name) => REGISTERED_CLAIMS.has(name));
    if (taken !== undefined) return `claims may not have a member named ${taken}.`;
    return hasInexactInteger(claims) ? 'claims may not have whole numbers beyond 2^53 - 1.' : undefined;
}

function hasInexactInteger(value: unknown): boolean {
    if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
    return typeof value === 'object' && value !== null && Object.values(value).some(hasInexactInteger);
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
