import { stringifyJson } from '../platform/json.ts';
import { isCredentialType } from './credential.ts';
import { uuidOf } from './credential-id.ts';
import { type CredentialVerdict, credentialVerdict } from './credential-verdict.ts';
import { jsonObjectOf, splitJws } from './jws.ts';
import { type Binding, bindingFault } from './key-binding.ts';
import { namedIn } from './open.ts';
import { type DisclosurePrimitives, processDisclosures, splitSdJwt } from './sd-jwt.ts';
import { readStatusReference, type StatusReference } from './status-reference.ts';
import { isText } from './texts.ts';
import { type JwsPrimitives, keyOf, verifyJws } from './verification-key.ts';
import { isIssuerWebDid } from './web-did.ts';

/**
 * SD-JWT VC (draft-ietf-oauth-sd-jwt-vc): a credential as an SD-JWT, the form that other people's wallets hold. Its
 * claims stand beside the members that say what it is. The id of a credential of this service is in `jti`, the claim of
 * RFC 7519 for it, and never disclosable: whoever asks if the credential has been revoked must know it.
 */
export interface SdJwtVc {
    /** urn:uuid:<uuid>, if this service may have issued it. */
    credential_id: string | undefined;
    issuer: string;
    /** The key that signed it, if the issuer is a did:web. Nothing here has checked that it is a key of the issuer. */
    kid: string | undefined;
    subject: string | undefined;
    credential_type: string;
    /** Times are in UTC, with milliseconds. */
    issued_at: string | undefined;
    expires_at: string | undefined;
    not_before: string | undefined;
    /** A JSON object, without what is not disclosed. Numbers are as JavaScript writes them. */
    claims: string;
    /** JSON pointers into `claims`, to those that the holder has disclosed. */
    disclosed: string[];
    /** Its place on a status list. Null if `status` names none that anybody here can read. */
    status: StatusReference | null | undefined;
}

export interface OpenSdJwtVcRequest {
    token: string;
    /** The DID that must have signed the token; if absent, the one that the payload names in `iss`. */
    did?: string | undefined;
    /** What the holder must have signed. If absent, a token that she has signed is refused. */
    binding?: Binding | undefined;
}

/** `reason` may be shown to callers. */
export type OpenedSdJwtVc = { ok: true; credential: SdJwtVc } | { ok: false; reason: string };

export type SdJwtVcPrimitives = JwsPrimitives & DisclosurePrimitives;

/** The members of a payload that say what the credential is. No claim may have the name of one. */
export const REGISTERED_CLAIMS: ReadonlySet<string> = new Set([
    ...['iss', 'sub', 'aud', 'iat', 'nbf', 'exp', 'jti'],
    ...['cnf', 'vct', 'vct#integrity', 'status'],
]);
/** Those that are not claims in an answer. */
const READ = new Set(['iss', 'sub', 'iat', 'nbf', 'exp', 'jti', 'cnf', 'vct', 'status']);
/** Those that a holder may not hide (section 2.2.2.3 of the draft), and `jti`. */
const ALWAYS_SHOWN = /^\/(?:iss|nbf|exp|jti|cnf|vct|vct#integrity|status)(?:\/|$)/;
/** Maximum length of the subject of a credential, in characters. Beyond it: the token does not verify. */
const MAX_SUBJECT_LENGTH = 2_048;
/** The beginning of the year 1, in seconds since 1970. Beyond it: the token does not verify. */
const FIRST_SECOND = -62_135_596_800;
/** The end of the year 9999, in seconds since 1970. Beyond it: the token does not verify. */
const LAST_SECOND = 253_402_300_799;

/**
 * Checks the form, the signatures and the content of an SD-JWT VC. Before its signature is verified, only the names of
 * the issuer and of the key are read. Nothing is fetched.
 */
export function openSdJwtVc({ token, did, binding }: OpenSdJwtVcRequest, primitives: SdJwtVcPrimitives): OpenedSdJwtVc {
    const parts = splitSdJwt(token);
    if (parts === undefined) return refused('The token is not a well-formed SD-JWT.');
    const jws = splitJws(parts.jwt, primitives);
    if ('fault' in jws) return refused(`The token is not a well-formed SD-JWT: ${jws.fault}.`);
    if (jws.typ !== 'dc+sd-jwt') return refused('The typ of the token is not dc+sd-jwt.');
    const issuer = did ?? namedIn('iss', jws.payload, primitives) ?? '';
    const signer = keyOf(issuer, jws.kid, primitives);
    if (signer === undefined) {
        return refused(isIssuerWebDid(issuer) ? NO_KEY : 'The issuer is no DID that contains the key of the token.');
    }
    if (!verifyJws(jws, signer.key, primitives)) return refused('The signature is not valid.');
    const signed = jsonObjectOf(jws.payload, primitives);
    if (signed === undefined) return refused('The payload is not an acceptable JSON object.');
    const processed = processDisclosures(signed, parts.disclosures, primitives);
    if ('fault' in processed) return refused(`The token is not a valid SD-JWT: ${processed.fault}.`);
    const { payload, disclosed } = processed;
    if (disclosed.some((pointer) => ALWAYS_SHOWN.test(pointer))) {
        return refused('The token hides what every credential must show.');
    }
    if (payload['iss'] !== issuer) return refused('The token names another issuer than the one that signed it.');
    const fault = bindingFault(parts, { cnf: payload['cnf'], expected: binding }, primitives);
    if (fault !== undefined) return refused(fault);
    const content = readContent(payload);
    if ('invalidField' in content) {
        return refused(`The token is not a credential: ${content.invalidField} is missing or unfit.`);
    }
    const shown = disclosed.filter((pointer) => !READ.has(pointer.slice(1)));
    return { ok: true, credential: { ...content, issuer, kid: signer.name, disclosed: shown } };
}

const NO_KEY = 'The token does not name the key of its issuer.';

type Content = Omit<SdJwtVc, 'issuer' | 'kid' | 'disclosed'>;

/** Anybody with a key can sign any payload, so every member is checked. */
function readContent(payload: Record<string, unknown>): Content | { invalidField: string } {
    const { jti, sub, vct, iat, nbf, exp, status } = payload;
    if (jti !== undefined && typeof jti !== 'string') return { invalidField: 'jti' };
    if (sub !== undefined && !(typeof sub === 'string' && isText(sub, MAX_SUBJECT_LENGTH)))
        return { invalidField: 'sub' };
    if (typeof vct !== 'string' || !isCredentialType(vct)) return { invalidField: 'vct' };
    const times = { iat: timeOf(iat), nbf: timeOf(nbf), exp: timeOf(exp) };
    for (const [name, time] of Object.entries(times)) {
        if (time === undefined && payload[name] !== undefined) return { invalidField: name };
    }
    return {
        credential_id: jti !== undefined && uuidOf(jti) !== undefined ? jti : undefined,
        subject: sub,
        credential_type: vct,
        issued_at: times.iat,
        expires_at: times.exp,
        not_before: times.nbf,
        claims: stringifyJson(Object.fromEntries(Object.entries(payload).filter(([name]) => !READ.has(name)))),
        status: status === undefined ? undefined : (readStatusReference(status) ?? null),
    };
}

/** Returns the time of a NumericDate (RFC 7519); undefined for any other value. */
function timeOf(value: unknown): string | undefined {
    if (typeof value !== 'number' || value < FIRST_SECOND || value > LAST_SECOND) return undefined;
    return new Date(value * 1_000).toISOString();
}

/** The answer to the verification of an SD-JWT VC. */
export interface SdJwtVcVerdict extends CredentialVerdict {
    /** Set only if the credential is valid: JSON pointers into `claims`, to those that the holder has disclosed. */
    disclosed?: readonly string[] | undefined;
}

/** The verdict on a credential that openSdJwtVc() has opened, at `now` (milliseconds since 1970). */
export function sdJwtVcVerdict(credential: SdJwtVc, at: { revoked: boolean; now: number }): SdJwtVcVerdict {
    const verdict = credentialVerdict(credential, at);
    return verdict.valid ? { ...verdict, disclosed: credential.disclosed } : verdict;
}

function refused(reason: string): OpenedSdJwtVc {
    return { ok: false, reason };
}
