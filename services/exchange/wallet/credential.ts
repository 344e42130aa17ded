import {
    type CallContext,
    detached,
    ownContext,
    REQUEST_TIMEOUT_MS,
    withIdempotencyKey,
} from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import type { IssueCredentialRequest, IssueCredentialResponse } from '../../../proto/gen/exchange/v1/exchange.ts';
import { type Definition, definitionIn } from '../rows.ts';
import { credentialIssuer } from '../rules.ts';
import type { WalletDependencies } from './dependencies.ts';
import type { TokenOfferRow } from './lookups.store.ts';
import { oauthError, refusesIssue } from './oauth-error.ts';
import { asMaker } from './offer-maker.ts';
import { offerOfToken, type TokenOffer } from './offer-of-token.ts';
import { type ProvenKey, provenKeys } from './proofs.ts';

/**
 * Issues a credential for each key that the wallet proves (OpenID4VCI 1.0, section 8). If a wallet repeats the request and
 * names the key in the same way, it gets the same credential. An answer may have fewer credentials than keys.
 */
export async function issueCredential(
    deps: WalletDependencies,
    request: IssueCredentialRequest,
    context: CallContext,
): Promise<IssueCredentialResponse> {
    const { store, nonces, publicUrl, clock } = deps;
    const offer = await offerOfToken(deps, request, '/credential', context);
    const definition = definitionIn(offer.definition);
    refuseOthers(request, offer, definition);
    refuseExpiredCredential(offer, clock());
    const audience = credentialIssuer(publicUrl, request.issuer_id);
    const purpose = { audience, issuer_id: request.issuer_id, proof_algs: definition.proof_algs, nonces, now: clock() };
    const keys = await provenKeys(request.proofs, purpose);
    // This goes on if the wallet disconnects, so that the offer knows what was issued, and an erasure finds it.
    const lasting = detached(context, REQUEST_TIMEOUT_MS);
    const binding = { offer: offer.id, thumbprints: keys.map(nameOf), call: newId(), max_keys: definition.max_keys };
    const added = await store.bind(binding, lasting);
    if (!added) throw oauthError('credential_request_denied', 'This offer has no credentials for more keys.');
    const outcomes = await Promise.allSettled(
        keys.map((key) => {
            const boundBy = added.has(nameOf(key)) ? binding.call : undefined;
            return issuedFor(deps, { offer, definition, key, boundBy }, lasting);
        }),
    );
    return { credentials: credentialsIn(outcomes), notification_id: offer.id };
}

/**
 * The credentials that were issued. Throws the first error that is no refusal, because a repeated request may then get more
 * credentials, or the first refusal if nothing was issued.
 */
function credentialsIn(outcomes: ReadonlyArray<PromiseSettledResult<string>>): string[] {
    const credentials = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const errors = outcomes.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : []));
    const failure = errors.find((error) => !refusesIssue(error));
    if (failure !== undefined) throw failure;
    if (credentials.length === 0) throw errors[0];
    return credentials;
}

/** Throws unless the request is for what is offered, and has a number of proofs that is possible. */
function refuseOthers(
    { configuration_id, credential_identifier, encrypted, proofs }: IssueCredentialRequest,
    { configuration }: TokenOfferRow,
    { max_keys }: Definition,
): void {
    if ((configuration_id === undefined) === (credential_identifier === undefined)) {
        const detail = 'Exactly one of credential_configuration_id and credential_identifier is required.';
        throw oauthError('invalid_credential_request', detail);
    }
    if (configuration_id === undefined) {
        throw oauthError('unknown_credential_identifier', 'The token response has no credential identifiers.');
    }
    if (configuration_id !== configuration) {
        throw oauthError('unknown_credential_configuration', 'This configuration is not offered.');
    }
    if (encrypted) throw oauthError('invalid_encryption_parameters', 'Responses are not encrypted.');
    if (proofs.length === 0) throw oauthError('invalid_proof', 'proofs.jwt must have a proof.');
    if (proofs.length > max_keys)
        throw oauthError('invalid_proof', `proofs.jwt has more proofs than the offer allows (${max_keys}).`);
}

/** A token can be used for a while after its offer has ended. The credential may expire meanwhile. */
function refuseExpiredCredential({ terms: { expiration_date } }: TokenOffer, now: number): void {
    if (expiration_date === undefined || Date.parse(expiration_date) > now) return;
    throw oauthError('credential_request_denied', 'The credential of this offer has expired.');
}

function nameOf({ thumbprint }: ProvenKey): string {
    return thumbprint.toString('base64url');
}

/**
 * Issues the credential of one key. Its Idempotency-Key consists of the offer and the key, so each call for this key gets
 * the same credential. `boundBy`: the id of this call if it has added the key to the offer; undefined if an earlier call has.
 * The call that has added the key removes it again if the issue is refused, so that the offer has room for another key.
 */
async function issuedFor(
    { services, store }: WalletDependencies,
    {
        offer,
        definition,
        key,
        boundBy,
    }: {
        offer: TokenOffer;
        definition: Definition;
        key: ProvenKey;
        boundBy: string | undefined;
    },
    context: CallContext,
): Promise<string> {
    const { claims, expiration_date, subject_did } = offer.terms;
    const request = {
        issuer_did: offer.issuer_did,
        subject_did: subject_did ?? didOf(key),
        credential_type: definition.vct,
        claims,
        expiration_date,
        status_list: true,
        is_first: boundBy !== undefined, // saves a search for an earlier credential; the answer is right in any case
        form: {
            format: definition.format,
            vct: undefined,
            disclosable: undefined,
            holder_key: key.did_url === undefined ? JSON.stringify(key.jwk) : undefined,
            holder_did_url: key.did_url,
        },
    };
    const binding = { offer: offer.id, thumbprint: nameOf(key) };
    const maker = withIdempotencyKey(asMaker(offer, context), `${binding.offer}.${binding.thumbprint}`);
    const issued = await services.credentials.issue(request, maker).catch(async (error: unknown) => {
        if (!refusesIssue(error)) throw error; // something may have been issued
        // Another call has claimed this key under another name of it, and issues for it.
        if (error.kind === 'unprocessable') throw oauthError('credential_request_denied', OTHER_NAME);
        // A key that another call has added stays: that call may be about to issue for it.
        if (boundBy !== undefined) await store.release({ ...binding, call: boundBy }, context);
        throw notNow();
    });
    if (await store.noteIssued({ ...binding, credential: issued.credential_id }, context)) return issued.credential;
    await eraseSubject(services, request.subject_did);
    throw notNow();
}

function notNow() {
    return oauthError('credential_request_denied', 'This credential cannot be issued now.');
}

/** Erases a subject whose erasure may have missed the credential that was just issued. */
async function eraseSubject({ credentials }: WalletDependencies['services'], subjectDid: string): Promise<void> {
    while (!(await credentials.eraseSubject({ subject_did: subjectDid }, ownContext())).done);
}

const OTHER_NAME =
    'The credential is bound to another name of this key. Name the key as in the request that got it: by jwk, or by the same kid.';

/** The DID of a key: the one by which the wallet names it or, if it has sent the key itself, a did:jwk. */
function didOf({ did_url, jwk }: ProvenKey): string {
    return did_url?.split('#', 1)[0] ?? `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`;
}
