import type { CallContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { CredentialsServiceDefinition, Verification } from '../../proto/gen/credentials/v1/credentials.ts';
import type {
    CreateRequest,
    Presentation,
    PresentationsServiceDefinition,
    PresentationVerification,
    VerifyRequest,
} from '../../proto/gen/presentations/v1/presentations.ts';
import { MAX_PRESENTED_CREDENTIALS } from '../../proto/limits.ts';
import { decodeDidKey, isDid } from '../../workers/crypto/did-key.ts';
import { isToken } from '../../workers/crypto/paseto.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import { requireText } from '../texts.ts';
import { outOfTime } from '../times.ts';
import { PRESENTATION_MEMBERS, readPayload, writePayload } from './payload.ts';
import type { PresentationStore } from './store.ts';

interface PresentationsDependencies {
    store: PresentationStore;
    signatures: Signatures;
    services: { credentials: ServiceOf<typeof CredentialsServiceDefinition> };
    /** Milliseconds since 1970. */
    clock: () => number;
}

/**
 * Maximum length of a payload, in characters. Its base64url form is a third longer and must fit into a request of 1
 * MiB.
 */
const MAX_PAYLOAD_LENGTH = ((1 << 20) - (8 << 10)) * 0.75;

/** Maximum length of a nonce and of a domain, in characters. */
const MAX_TEXT_LENGTH = 1_000;

/** Presentations: created by a holder for one verifier, and verified there. */
export function presentationsService(
    deps: PresentationsDependencies,
): ServiceOf<typeof PresentationsServiceDefinition> {
    return {
        create: (request, context) => create(deps, request, context),
        verify: (request, context) => verify(deps, request, context),
    };
}

async function create(
    { store, signatures, services, clock }: PresentationsDependencies,
    { holder_did, holder_private_key, credentials, audience, nonce, domain }: CreateRequest,
    context: CallContext,
): Promise<Presentation> {
    if (!decodeDidKey(holder_did)) throw invalid('holder_did is not a did:key with an Ed25519 public key.');
    if (!isDid(audience)) throw invalid('audience is not a DID.');
    if (credentials.length === 0 || credentials.length > MAX_PRESENTED_CREDENTIALS) {
        throw invalid(`credentials must have 1 to ${MAX_PRESENTED_CREDENTIALS} items.`);
    }
    for (const [name, text] of Object.entries({ nonce, domain })) {
        if (text !== undefined) requireText(name, text, MAX_TEXT_LENGTH);
        requireBinding(name, text);
    }
    const { results } = await services.credentials.verifyMany({ credentials, check_revocation: false }, context);
    const bad = results.findIndex((result) => !isAuthentic(result));
    if (bad !== -1) throw invalid(`credentials.${bad} is not a credential with a good signature.`);

    const now = clock();
    const id = newId(now);
    const presentationId = `urn:uuid:${id}`;
    const createdAt = new Date(now).toISOString();
    const payload = writePayload({
        presentation_id: presentationId,
        holder: holder_did,
        audience,
        created_at: createdAt,
        nonce,
        domain,
        credentials,
    });
    if (payload.length > MAX_PAYLOAD_LENGTH) {
        throw new AppError(
            'too_large',
            'The credentials are too large together: nobody could send the presentation to be verified.',
        );
    }
    const presentation = await signatures.sign({ did: holder_did, secretKey: holder_private_key, payload }, context);
    const credentialsCount = credentials.length;
    const row = {
        id,
        account: context.user_id,
        created_at: createdAt,
        credentials_count: credentialsCount,
        holder: holder_did,
        audience,
    };
    await store.insert(row, context);
    return {
        presentation_id: presentationId,
        presentation,
        holder: holder_did,
        audience,
        credentials_count: credentialsCount,
        created_at: createdAt,
    };
}

async function verify(
    { signatures, services, clock }: PresentationsDependencies,
    { presentation, audience, nonce, verify_credentials, check_revocation }: VerifyRequest,
    context: CallContext,
): Promise<PresentationVerification> {
    if (!isToken(presentation)) throw invalid('presentation is not a v4.public token.');
    if (!isDid(audience)) throw invalid('audience is not a DID.');
    requireBinding('nonce', nonce);
    const opened = await signatures.open({ token: presentation, ...PRESENTATION_MEMBERS }, context);
    if (!opened.ok) return { valid: false, credentials: [], error: opened.reason };
    const content = readPayload(opened.payload);
    if ('invalidField' in content) {
        const error = `The token is not a presentation: ${content.invalidField} is missing or unfit.`;
        return { valid: false, credentials: [], error };
    }

    const shown = {
        holder: content.holder,
        audience: content.audience,
        created_at: content.created_at,
        nonce_valid: nonce === undefined ? undefined : content.nonce === nonce,
    };
    if (content.audience !== audience) {
        const audiences = { expected_audience: audience, actual_audience: content.audience };
        return {
            valid: false,
            ...shown,
            credentials: [],
            error: 'The presentation is for another audience.',
            ...audiences,
        };
    }
    const credentials = verify_credentials
        ? (await services.credentials.verifyMany({ credentials: content.credentials, check_revocation }, context))
              .results
        : [];
    const untimely = outOfTime(opened.payload, clock());
    const error = untimely === undefined ? fault(shown.nonce_valid, credentials) : `The presentation ${untimely}.`;
    return { valid: error === undefined, ...shown, credentials, error };
}

/**
 * Throws AppError `invalid` if the text is empty. Nonce and domain are optional. They bind a presentation to one
 * occasion, which an empty text does not.
 */
function requireBinding(name: string, text: string | undefined): void {
    if (text === '') throw invalid(`${name} must not be empty.`);
}

/** Returns the first reason why an authentic presentation is invalid; undefined if it is valid. */
function fault(nonceValid: boolean | undefined, credentials: readonly Verification[]): string | undefined {
    if (nonceValid === false) return 'The nonce is not the expected one.';
    const bad = credentials.findIndex(({ valid }) => !valid);
    return bad === -1 ? undefined : `credentials.${bad}: ${credentials[bad]?.error}`;
}

/** True if the signature is valid. A credential that has expired may still be presented. */
function isAuthentic({ issuer }: Verification): boolean {
    return issuer !== undefined;
}
