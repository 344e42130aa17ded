import { type CallContext, withoutIdempotencyKey } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { CredentialsServiceDefinition, Verification } from '../../proto/gen/credentials/v1/credentials.ts';
import { CreateRequest, type Presentation } from '../../proto/gen/presentations/v1/presentations.ts';
import type { SigningServiceDefinition } from '../../proto/gen/signing/v1/signing.ts';
import { MAX_PRESENTED_CREDENTIALS } from '../../proto/limits.ts';
import { decodeDidKey, isDid } from '../../tokens/did-key.ts';
import { writePayload } from '../../tokens/presentation.ts';
import { isIssuerWebDid } from '../../tokens/web-did.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import type { ApproximateQuota } from '../approximate-quota.ts';
import type { Cursors } from '../cursors.ts';
import type { Claim, HeldClaim } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { completeKey, openKid, sealKid, type TokenSigner } from '../issuers/token-signer.ts';
import type { WebKeys } from '../issuers/web-keys.ts';
import { requireText } from '../texts.ts';
import { requireBinding } from './rules.ts';
import type { PresentationStore } from './store.ts';

export interface PresentationsOptions {
    store: PresentationStore;
    signatures: Signatures;
    services: {
        credentials: ServiceOf<typeof CredentialsServiceDefinition>;
        signing: ServiceOf<typeof SigningServiceDefinition>;
    };
    idempotency: Idempotency;
    quota: ApproximateQuota;
    cursors: Cursors;
    /** Milliseconds since 1970. */
    clock: () => number;
}

export interface PresentationsDependencies extends PresentationsOptions {
    tokenSigner: TokenSigner;
    webKeys: WebKeys;
}

/** The id (UUID) and the time of a presentation. */
type Made = Pick<HeldClaim, 'id' | 'made_at'>;

/**
 * Maximum length of a payload, in characters. Its base64url form is a third longer and must fit into a request of 1
 * MiB. Beyond it: 413.
 */
const MAX_PAYLOAD_LENGTH = ((1 << 20) - (8 << 10)) * 0.75;

/** Maximum length of a nonce and of a domain, in characters. Beyond it: `invalid`. */
const MAX_TEXT_LENGTH = 1_000;

/** Creates a presentation. A repeated call signs the presentation of the first call again, with the same result. */
export async function create(
    deps: PresentationsDependencies,
    request: CreateRequest,
    context: CallContext,
): Promise<Presentation> {
    const { store, idempotency, clock } = deps;
    requireFields(request);
    const { holder_private_key, holder_did } = request;
    const message = { ...request, holder_private_key: completeKey(holder_private_key, holder_did) };
    const call = { operation: 'presentations.create', codec: CreateRequest, message };
    const claim = idempotency.claimOf(call, context);
    await requireAuthentic(deps, request.credentials, context);

    const write = async (): Promise<Presentation | undefined> => {
        await deps.quota.requireRoom(context);
        const now = clock();
        const made = { id: newId(now), made_at: new Date(now).toISOString() };
        const { presentation, kid } = await signed(deps, request, { made }, context);
        const { holder, audience, credentials_count, created_at } = presentation;
        const row = { id: made.id, account: context.user_id, created_at, credentials_count, holder, audience };
        if (claim) {
            const newClaim = { ...claim, ...made, sealed: sealKid(claim, kid) };
            const outcome = await store.insertOnce({ row, claim: newClaim }, context);
            return outcome === 'written' ? presentation : undefined;
        }
        await store.insert(row, context);
        return presentation;
    };
    const replay = async (made: HeldClaim, own: Claim) =>
        (await signed(deps, request, { made, kid: openKid(made, own) }, context)).presentation;
    return idempotency.once(claim, { write, replay }, context);
}

function requireFields({ holder_did, credentials, audience, nonce, domain }: CreateRequest): void {
    if (!decodeDidKey(holder_did) && !isIssuerWebDid(holder_did))
        throw invalid('holder_did is not a did:key with an Ed25519 public key.');
    if (!isDid(audience)) throw invalid('audience is not a DID.');
    if (credentials.length === 0 || credentials.length > MAX_PRESENTED_CREDENTIALS) {
        throw invalid(`credentials must have 1 to ${MAX_PRESENTED_CREDENTIALS} items.`);
    }
    for (const [name, text] of Object.entries({ nonce, domain })) {
        if (text !== undefined) requireText(name, text, MAX_TEXT_LENGTH);
        requireBinding(name, text);
    }
}

/** Throws AppError `invalid` unless issuers have signed all credentials. They may have expired. */
async function requireAuthentic(
    { services }: PresentationsDependencies,
    credentials: string[],
    context: CallContext,
): Promise<void> {
    const { results } = await services.credentials.verifyMany(
        { credentials, check_revocation: false, items: [] },
        withoutIdempotencyKey(context),
    );
    const bad = results.findIndex((result) => !isAuthentic(result));
    if (bad !== -1) throw invalid(`credentials.${bad} is not a v4.public credential with a good signature.`);
}

/** True if the signature is valid. A credential that has expired may still be presented. */
function isAuthentic({ issuer }: Verification): boolean {
    return issuer !== undefined;
}

/** The id of a presentation as callers see it. */
export function presentationId(uuid: string): string {
    return `urn:uuid:${uuid}`;
}

/** Returns the presentation, and the key that signed it if the holder is a did:web. `kid`: that of an earlier call. */
async function signed(
    { tokenSigner }: PresentationsDependencies,
    { holder_did, holder_private_key, credentials, audience, nonce, domain }: CreateRequest,
    { made, kid }: { made: Made; kid?: string | undefined },
    context: CallContext,
): Promise<{ presentation: Presentation; kid: string | undefined }> {
    const shown = { presentation_id: presentationId(made.id), holder: holder_did, audience, created_at: made.made_at };
    const payload = writePayload({ ...shown, nonce, domain, credentials });
    if (payload.length > MAX_PAYLOAD_LENGTH) {
        throw new AppError(
            'too_large',
            'The credentials are too large together: nobody could send the presentation to be verified.',
        );
    }
    const signer = { did: holder_did, secretKey: holder_private_key, field: 'holder_private_key' };
    const { token, kid: signedBy } = await tokenSigner.sign({ ...signer, payload, kid }, context);
    const presentation = { ...shown, presentation: token, credentials_count: credentials.length };
    return { presentation, kid: signedBy };
}
