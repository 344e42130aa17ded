import type { CallContext } from '../../platform/context.ts';
import { type Credential, IssueRequest } from '../../proto/gen/credentials/v1/credentials.ts';
import { writePayload } from '../../tokens/credential.ts';
import { credentialId } from '../../tokens/credential-id.ts';
import { readExpiry } from '../../tokens/times.ts';
import type { Claim, HeldClaim } from '../idempotency/claim.ts';
import { completeKey, openKid, sealKid, type TokenSigner } from '../issuers/token-signer.ts';
import { causeOf } from '../outbox/cause.ts';
import { requireExpiry, requireNewSubject } from '../texts.ts';
import type { ItemContext } from './batches.ts';
import type { CredentialsDependencies } from './dependencies.ts';
import { newIdIn, partOfId, partOfIssuer } from './parts/part-map.ts';
import { known } from './parts/parted-store.ts';
import { requireClaims, requireCredentialType, requireIssuer } from './rules.ts';
import { draftOf, joined, payloadOf, refuseOtherSigner, type SdJwtDraft } from './sd-jwt/issuing.ts';
import { shownPlace } from './status-lists/places.ts';
import type { Place } from './status-lists/rows.ts';

/** The id (UUID) and the time of a credential. */
type Made = Pick<HeldClaim, 'id' | 'made_at'>;

/**
 * Issues a credential. Without a private key, the signing service signs with that of a managed issuer. A repeated call
 * signs the credential of the first call again. Ed25519 is deterministic (RFC 8032), so a PASETO token is the same,
 * although the service does not store it. An SD-JWT gets new salts and a new signature.
 */
export async function issue(
    deps: CredentialsDependencies,
    request: IssueRequest,
    context: CallContext,
): Promise<Credential> {
    requireIssuer(request.issuer_did);
    const call = { operation: 'credentials.issue', codec: IssueRequest, message: compared(request) };
    const claim = deps.idempotency.claimOf(call, context);
    return issueOne(deps, { request, claim, isFirstLook: true }, context);
}

/** A request as it is compared with the one of an earlier call: each value in one form, and no default. */
export function compared(request: IssueRequest): IssueRequest {
    const { issuer_did, issuer_private_key, expiration_date, status_list } = request;
    return {
        ...request,
        issuer_private_key: completeKey(issuer_private_key, issuer_did),
        expiration_date: expiration_date && (readExpiry(expiration_date) ?? expiration_date),
        status_list: status_list || undefined,
        is_first: undefined,
    };
}

interface Issuing {
    request: IssueRequest;
    claim?: Claim | undefined;
    /** The claim of an earlier call, if it is known. */
    held?: HeldClaim | undefined;
    /** Nobody has looked for an earlier call yet, or checked the private key. */
    isFirstLook?: boolean;
}

/** Issues a credential of an issuer whose DID has been checked. A call that fails or repeats another takes no place. */
export async function issueOne(
    deps: CredentialsDependencies,
    { request, claim, held, isFirstLook = false }: Issuing,
    context: CallContext | ItemContext,
): Promise<Credential> {
    const { store, idempotency, clock, tokenSigner } = deps;
    const placesIn = (part: number) => known(deps.statusPlaces[part]);
    const { issuer_did: issuer, subject_did: subject, credential_type, claims, expiration_date } = request;
    requireNewSubject(subject);
    requireCredentialType(credential_type);
    requireClaims(claims);
    const expiresAt = expiration_date === undefined ? undefined : requireExpiry(expiration_date);
    const draft = draftOf(request);

    const write = async (): Promise<Credential | undefined> => {
        await deps.quota.requireRoom(context);
        if (isFirstLook && request.status_list) await askSigner(tokenSigner, request, context);
        const now = clock();
        const part = partOfIssuer(issuer, deps.parts.map.count);
        const made = { id: newIdIn(part, now), made_at: new Date(now).toISOString() };
        const take = () => (draft ? placesIn(part).takeOf(issuer) : placesIn(part).take());
        const place = request.status_list ? await take() : undefined;
        const { credential, kid } = await signed(deps, { request, draft, expiresAt, made, place }, context);
        const parties = { issuer, subject, credential_type };
        const row = {
            id: made.id,
            account: context.user_id,
            issued_at: made.made_at,
            expires_at: expiresAt,
            ...parties,
            place,
            cause: causeOf(context, context.user_id),
        };
        if (claim) {
            const newClaim = { ...claim, ...made, sealed: sealKid(claim, kid) };
            const outcome = await store.insertOnce({ row, claim: newClaim }, context);
            return outcome === 'written' ? credential : undefined;
        }
        await store.insert(row, context);
        return credential;
    };
    const replay = async (made: HeldClaim, own: Claim) => {
        const place = request.status_list ? await placesIn(partOfId(made.id, deps.parts.map)).find(made.id) : undefined;
        const signing = { request, draft, expiresAt, made, place, kid: openKid(made, own) };
        return (await signed(deps, signing, context)).credential;
    };
    // Writing is expensive if it takes a place or calls the signing service.
    const isExpensive = request.status_list === true || request.issuer_private_key === undefined;
    const lookFirst = isFirstLook && !request.is_first && isExpensive;
    return idempotency.once(claim, { write, replay, held, lookFirst }, context);
}

/** Who signs, as the request says. */
function signerIn({ issuer_did, issuer_private_key }: Pick<IssueRequest, 'issuer_did' | 'issuer_private_key'>) {
    return { did: issuer_did, secretKey: issuer_private_key, field: 'issuer_private_key' };
}

/** Throws AppError if the credential could not be signed now. */
export async function askSigner(
    tokenSigner: TokenSigner,
    request: Pick<IssueRequest, 'issuer_did' | 'issuer_private_key' | 'form'>,
    context: CallContext,
): Promise<void> {
    if (!request.form) return tokenSigner.check(signerIn(request), context);
    refuseOtherSigner(request);
    await tokenSigner.checkSdJwt(request.issuer_did, context);
}

/** What is signed. `kid`: the key that has signed it before, if this is a replay. */
interface Signing {
    request: IssueRequest;
    /** Set if it is issued as an SD-JWT VC. */
    draft: SdJwtDraft | undefined;
    expiresAt: string | undefined;
    made: Made;
    place: Place | undefined;
    kid?: string | undefined;
}

/** Returns the credential, and the key that signed it if the issuer is a did:web. */
async function signed(
    { tokenSigner }: CredentialsDependencies,
    { request, draft, expiresAt, made, place, kid }: Signing,
    context: CallContext | ItemContext,
): Promise<{ credential: Credential; kid: string | undefined }> {
    const { issuer_did: issuer, subject_did: subject, credential_type, claims } = request;
    const shown = {
        credential_id: credentialId(made.id),
        issuer,
        subject,
        credential_type,
        issued_at: made.made_at,
        expires_at: expiresAt,
    };
    const status = place && shownPlace(place);
    if (draft) {
        const payload = payloadOf(draft, { ...shown, place: status && { idx: status.idx, uri: status.uri } });
        const { token, kid: signedBy } = await tokenSigner.signSdJwt({ did: issuer, payload, kid }, context);
        return { credential: { ...shown, credential: joined(token, draft), status }, kid: signedBy };
    }
    const payload = writePayload({ ...shown, claims, place: status });
    const { token, kid: signedBy } = await tokenSigner.sign({ ...signerIn(request), payload, kid }, context);
    return { credential: { ...shown, credential: token, status }, kid: signedBy };
}
