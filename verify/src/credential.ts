import { CREDENTIAL_MEMBERS } from '../../tokens/credential.ts';
import { authenticCredential, credentialVerdict } from '../../tokens/credential-verdict.ts';
import type { Binding } from '../../tokens/key-binding.ts';
import { type Opened, type OpenRequest, openToken } from '../../tokens/open.ts';
import { isSdJwt } from '../../tokens/sd-jwt.ts';
import { openSdJwtVc, type SdJwtVcVerdict, sdJwtVcVerdict } from '../../tokens/sd-jwt-vc.ts';
import type { StatusReference } from '../../tokens/status-reference.ts';
import { PRIMITIVES } from './primitives.ts';
import { statusReference } from './status-list.ts';

/** A credential whose signature is good, whichever form its token has. */
export interface ReadCredential {
    /** Who signed it. Nobody has checked yet that the key is one of a did:web. */
    signer: { did: string; kid: string | undefined };
    /** Its place on a status list. Null if `status` names no list that is known here. */
    reference: StatusReference | null | undefined;
    verdict(at: { revoked: boolean; now: number }): SdJwtVcVerdict;
}

interface Wanted {
    /** The DID that must have signed; undefined for the one that the token names. */
    issuer?: string | undefined;
    /** What the holder must have signed. */
    binding?: Binding | undefined;
}

const MEMBERS = {
    members: [...CREDENTIAL_MEMBERS.members, 'status'],
    raw: [...CREDENTIAL_MEMBERS.raw, 'status'],
};

/** Reads what may be the token of a credential: a v4.public token or an SD-JWT. */
export function readCredential(token: unknown, wanted: Wanted): ReadCredential | { fault: string } {
    return typeof token === 'string' && isSdJwt(token) ? readSdJwt(token, wanted) : readPaseto(token, wanted);
}

function readSdJwt(token: string, { issuer, binding }: Wanted): ReadCredential | { fault: string } {
    const opened = openSdJwtVc({ token, did: issuer, binding }, PRIMITIVES);
    if (!opened.ok) return { fault: opened.reason };
    const { credential } = opened;
    return {
        signer: { did: credential.issuer, kid: credential.kid },
        reference: credential.status,
        verdict: (at) => sdJwtVcVerdict(credential, at),
    };
}

/** Reads what may be a v4.public token, the only form that presentations hold. */
export function readPaseto(token: unknown, { issuer, binding }: Wanted): ReadCredential | { fault: string } {
    if (binding !== undefined) return { fault: 'The token has no key binding.' };
    const opened = openPaseto(token, { did: issuer, ...MEMBERS });
    const authentic = authenticCredential(opened, issuer);
    if ('fault' in authentic) return authentic;
    return {
        signer: { did: authentic.issuer, kid: authentic.kid },
        reference: referenceIn(opened),
        verdict: (at) => credentialVerdict(authentic, at),
    };
}

/** Opens what may be no token at all. */
export function openPaseto(token: unknown, request: Omit<OpenRequest, 'token'>): Opened {
    if (typeof token !== 'string') return { ok: false, reason: 'The token is not a well-formed v4.public token.' };
    return openToken({ token, byKid: true, ...request }, PRIMITIVES);
}

function referenceIn(opened: Opened): StatusReference | null | undefined {
    if (!opened.ok || !Object.hasOwn(opened.payload, 'status')) return undefined;
    const text = opened.raw['status'];
    return (text === undefined ? undefined : statusReference(text)) ?? null;
}
