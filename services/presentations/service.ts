import type { CallContext } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { Verification } from '../../proto/gen/credentials/v1/credentials.ts';
import type {
    PresentationsServiceDefinition,
    PresentationVerification,
    VerifyRequest,
} from '../../proto/gen/presentations/v1/presentations.ts';
import { isDid } from '../../workers/crypto/did-key.ts';
import { isToken } from '../../workers/crypto/paseto.ts';
import { outOfTime } from '../times.ts';
import { type CreateDependencies, create } from './create.ts';
import { PRESENTATION_MEMBERS, readPayload, requireBinding } from './payload.ts';

/** Presentations: created by a holder for one verifier, and verified there. */
export function presentationsService(deps: CreateDependencies): ServiceOf<typeof PresentationsServiceDefinition> {
    return {
        create: (request, context) => create(deps, request, context),
        verify: (request, context) => verify(deps, request, context),
    };
}

async function verify(
    { signatures, services, clock }: CreateDependencies,
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
        ? (
              await services.credentials.verifyMany(
                  { credentials: content.credentials, check_revocation, items: [] },
                  context,
              )
          ).results
        : [];
    const untimely = outOfTime(opened.payload, clock());
    const error = untimely === undefined ? fault(shown.nonce_valid, credentials) : `The presentation ${untimely}.`;
    return { valid: error === undefined, ...shown, credentials, error };
}

/** Returns the first reason why an authentic presentation is invalid; undefined if it is valid. */
function fault(nonceValid: boolean | undefined, credentials: readonly Verification[]): string | undefined {
    if (nonceValid === false) return 'The nonce is not the expected one.';
    const bad = credentials.findIndex(({ valid }) => !valid);
    return bad === -1 ? undefined : `credentials.${bad}: ${credentials[bad]?.error}`;
}
