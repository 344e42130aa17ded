import { unauthentic } from '../../tokens/credential-verdict.ts';
import { isDid } from '../../tokens/did-key.ts';
import { membersOf } from '../../tokens/jws.ts';
import type { Binding } from '../../tokens/key-binding.ts';
import { PRESENTATION_MEMBERS } from '../../tokens/presentation.ts';
import {
    authenticPresentation,
    type PresentationVerdict,
    presentationVerdict,
} from '../../tokens/presentation-verdict.ts';
import type { SdJwtVcVerdict } from '../../tokens/sd-jwt-vc.ts';
import { openPaseto, type ReadCredential, readCredential, readPaseto } from './credential.ts';
import { signerFault } from './documents.ts';
import { type CommonOptions, type CompletedOptions, completed } from './options.ts';
import { type StatusAnswer, statusOf } from './status.ts';

export type { DidDocument } from './documents.ts';
export type { StatusListToken } from './options.ts';
export type { Status } from './status.ts';

export interface CredentialOptions extends CommonOptions {
    /** The DID that must have signed the credential: a did:key, or a did:web of the service. */
    issuer?: string | undefined;
    /**
     * What the holder must have signed with the key in the credential: for whom she shows it (`audience`), and the
     * challenge that you gave her. With this option, a credential without such a signature is not valid. Without it,
     * one with a signature of its holder is not.
     */
    binding?: HolderBinding | undefined;
}

export interface HolderBinding {
    audience: string;
    nonce: string;
}

export interface PresentationOptions extends CommonOptions {
    /** Your DID, for which the presentation must have been made. */
    audience: string;
    /** The challenge that you gave the holder. `false`: you gave none, so a presentation may be shown again. */
    nonce: string | false;
}

/** As the service answers, with the status. The members from `issuer` to `expires_at` need a good signature. */
export interface CredentialResult extends Omit<SdJwtVcVerdict, 'claims'>, StatusAnswer {
    /** Set only if the credential is valid. */
    claims?: Record<string, unknown>;
}

/** As the service answers. `credentials` is set if the presentation has a good signature. */
export interface PresentationResult extends PresentationVerdict {
    credentials?: CredentialResult[];
}

/**
 * Verifies a credential without the service. Whatever the token and the issuer are, it resolves: `valid` is false, and
 * `error` has the reason. It rejects with TypeError if another option has a wrong type.
 */
export async function verifyCredential(token: string, options: CredentialOptions = {}): Promise<CredentialResult> {
    const { issuer, binding } = options;
    const common = completed(options);
    const wanted = { issuer, binding: expectedBinding(binding, common.now) };
    const isPossible = issuer === undefined || typeof issuer === 'string';
    return checkCredential(isPossible ? readCredential(token, wanted) : NO_ISSUER, common);
}

/**
 * Verifies a presentation and the credentials in it without the service. Whatever token, audience and nonce are, it
 * resolves: `valid` is false, and `error` has the reason. It rejects with TypeError if another option has a wrong type.
 */
export async function verifyPresentation(token: string, options: PresentationOptions): Promise<PresentationResult> {
    const common = completed(options);
    const { audience, nonce } = options;
    if (typeof audience !== 'string' || !isDid(audience)) return { valid: false, error: 'audience is not a DID.' };
    if (nonce === '') return { valid: false, error: 'nonce must not be empty.' };
    if (typeof nonce !== 'string' && nonce !== false) {
        return { valid: false, error: 'nonce must be a text, or false if there was none.' };
    }
    const authentic = authenticPresentation(openPaseto(token, { did: undefined, ...PRESENTATION_MEMBERS }));
    if ('fault' in authentic) return { valid: false, error: authentic.fault };
    const signer = { did: authentic.holder, kid: authentic.kid };
    const fault = signerFault(signer, { documents: common.documents, purpose: 'authentication' });
    if (fault !== undefined) return { valid: false, error: fault };
    const expected = { audience, nonce: nonce === false ? undefined : nonce, now: common.now };
    const isGood = presentationVerdict(authentic, { ...expected, credentials: [] }).valid;
    const checks = isGood ? common : withoutFetching(common);
    const credentials: CredentialResult[] = [];
    // One after the other, so that few lists are in memory at a time.
    for (const presented of authentic.audience === audience ? authentic.credentials : []) {
        credentials.push(await checkCredential(readPaseto(presented, {}), checks));
    }
    return { ...defined(presentationVerdict(authentic, { ...expected, credentials })), credentials };
}

/** The issuer is asked for, but is no text. */
const NO_ISSUER = { fault: 'The issuer is not an Ed25519 did:key.' };

async function checkCredential(
    read: ReadCredential | { fault: string },
    options: CompletedOptions,
): Promise<CredentialResult> {
    const { now, issuers, documents } = options;
    if ('fault' in read) return resultOf(unauthentic(read.fault), {});
    const fault = signerFault(read.signer, { documents, purpose: 'assertionMethod' });
    if (fault !== undefined) return resultOf(unauthentic(fault), {});
    const verdict = read.verdict({ revoked: false, now });
    if (issuers && !issuers.includes(read.signer.did)) {
        const { claims: _claims, disclosed: _disclosed, ...shown } = verdict;
        return resultOf({ ...shown, valid: false, error: 'The issuer is not one of those that are accepted.' }, {});
    }
    const place = { reference: read.reference, issuer: read.signer.did };
    const answer = await statusOf(place, verdict.valid ? options : withoutFetching(options));
    const isRevoked = answer.status === 'revoked';
    return resultOf(isRevoked ? read.verdict({ revoked: true, now }) : verdict, answer);
}

/** Throws TypeError if the option is none: a lost challenge must not pass. */
function expectedBinding(binding: unknown, now: number): Binding | undefined {
    if (binding === undefined) return undefined;
    const { audience, nonce } = membersOf(binding);
    if (typeof audience === 'string' && audience !== '' && typeof nonce === 'string' && nonce !== '') {
        return { audience, nonce, now };
    }
    throw new TypeError('binding must have an audience and a nonce.');
}

/** Nothing is fetched for a token that is not valid, whatever the lists say. Anybody can make one. */
function withoutFetching(options: CompletedOptions): CompletedOptions {
    return typeof options.source === 'function' ? { ...options, source: [] } : options;
}

function resultOf({ claims, disclosed, ...verdict }: SdJwtVcVerdict, answer: StatusAnswer): CredentialResult {
    if (verdict.valid && answer.status === 'unknown') {
        const error = 'The status of the credential is unknown.';
        return { ...defined(verdict), valid: false, error, ...answer };
    }
    // The claims are the text of a JSON object.
    return {
        ...defined({ ...verdict, disclosed }),
        ...(claims !== undefined && { claims: JSON.parse(claims) }),
        ...answer,
    };
}

/** Leaves out members that are undefined, as the JSON of the service does. */
function defined<T extends object>(value: T): T {
    return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T; // fewer members
}
