import { hash, randomBytes } from 'node:crypto';
import { encodeBase64Url } from '../../../platform/base64.ts';
import { invalid } from '../../../platform/errors.ts';
import { parseJson } from '../../../platform/json.ts';
import type { CredentialForm, IssueRequest } from '../../../proto/gen/credentials/v1/credentials.ts';
import type { Concealed, ConcealPrimitives } from '../../../tokens/concealing.ts';
import { MAX_TYPE_LENGTH } from '../../../tokens/credential.ts';
import { isIssuerWebDid } from '../../../tokens/web-did.ts';
import { type Confirmation, concealVc, isVct, type NewSdJwtVc, writeSdJwtVc } from '../../../tokens/write-sd-jwt-vc.ts';
import { keyInDidUrl, publicJwkIn } from '../../../workers/crypto/holder-key.ts';

/** What is signed of a credential that is issued as an SD-JWT VC, without what is known only then. */
export interface SdJwtDraft {
    vct: string;
    holder: Confirmation | undefined;
    concealed: Concealed;
}

const SD_JWT = 'dc+sd-jwt';

const PRIMITIVES: ConcealPrimitives = {
    randomBytes,
    encodeBase64Url,
    digest: (text) => hash('sha256', text, 'base64url'),
};

/**
 * Returns what a request says about an SD-JWT VC; undefined if it asks for none. `claims` must be known to be a JSON
 * object. Throws AppError `invalid`.
 */
export function draftOf(request: IssueRequest): SdJwtDraft | undefined {
    const { form, issuer_did, issuer_private_key, credential_type, claims } = request;
    if (form === undefined) return undefined;
    requireFormat(form);
    refuseOtherSigner({ issuer_did, issuer_private_key });
    const vct = form.vct ?? credential_type;
    if (!isVct(vct))
        throw invalid(
            `vct must be a URI of at most ${MAX_TYPE_LENGTH} characters. It is the credential_type by default.`,
        );
    const parsed = parseJson(claims, { raw: new Set() }) as Record<string, unknown>; // a JSON object
    const concealed = concealVc(parsed, form.disclosable?.pointers, PRIMITIVES);
    if ('fault' in concealed) throw invalid(concealed.fault);
    return { vct, holder: confirmationOf(form), concealed };
}

/** Throws AppError `invalid` unless the issuer can sign an SD-JWT VC: nobody but the service has the keys of a did:web. */
export function refuseOtherSigner({
    issuer_did,
    issuer_private_key,
}: Pick<IssueRequest, 'issuer_did' | 'issuer_private_key'>): void {
    if (isIssuerWebDid(issuer_did) && issuer_private_key === undefined) return;
    throw invalid('issuer_did must be a did:web issuer of this service, without a private key, for dc+sd-jwt.');
}

function requireFormat({ format, ...fields }: CredentialForm): void {
    if (format === SD_JWT) return;
    if (format !== undefined) throw invalid(`format must be ${SD_JWT}, or left out.`);
    const [name] = Object.entries(fields).find(([, value]) => value !== undefined) ?? [];
    if (name !== undefined) throw invalid(`${name} needs the format ${SD_JWT}.`);
    throw invalid('form must have a format.');
}

function confirmationOf({ holder_key, holder_did_url }: CredentialForm): Confirmation | undefined {
    if (holder_key !== undefined && holder_did_url !== undefined) {
        throw invalid('holder_key and holder_did_url may not be set both.');
    }
    if (holder_key !== undefined) {
        const jwk = publicJwkIn(holder_key);
        if (jwk) return { jwk };
        throw invalid('holder_key must be a public JWK with a key of P-256 or Ed25519.');
    }
    if (holder_did_url === undefined || keyInDidUrl(holder_did_url)) {
        return holder_did_url === undefined ? undefined : { kid: holder_did_url };
    }
    throw invalid('holder_did_url must name a key of P-256 or Ed25519 of a did:key or did:jwk.');
}

/** The payload that the issuer signs. */
export function payloadOf(
    { vct, holder, concealed }: SdJwtDraft,
    content: Omit<NewSdJwtVc, 'vct' | 'holder' | 'concealed'>,
): string {
    return writeSdJwtVc({ ...content, vct, holder, concealed: concealed.payload });
}

/** The credential: the signed token, and all disclosures. */
export function joined(token: string, { concealed }: SdJwtDraft): string {
    return [token, ...concealed.disclosures, ''].join('~');
}
