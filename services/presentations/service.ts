import type { CallContext } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type {
    PresentationsServiceDefinition,
    PresentationVerification,
    VerifyRequest,
} from '../../proto/gen/presentations/v1/presentations.ts';
import { isDid } from '../../tokens/did-key.ts';
import { PRESENTATION_MEMBERS } from '../../tokens/presentation.ts';
import { authenticPresentation, presentationVerdict } from '../../tokens/presentation-verdict.ts';
import { isToken } from '../../tokens/v4-public.ts';
import { erasure, subjectErasure } from '../erasure.ts';
import { tokenSigner } from '../issuers/token-signer.ts';
import { webKeys } from '../issuers/web-keys.ts';
import { create, type PresentationsDependencies, type PresentationsOptions } from './create.ts';
import { listPresentations } from './list.ts';
import { requireBinding } from './rules.ts';

/** Presentations: created by a holder for one verifier, and verified there. */
export function presentationsService(options: PresentationsOptions): ServiceOf<typeof PresentationsServiceDefinition> {
    const { signatures, services } = options;
    const deps: PresentationsDependencies = {
        ...options,
        tokenSigner: tokenSigner({ signatures, signing: services.signing }),
        webKeys: webKeys(services.signing),
    };
    return {
        create: (request, context) => create(deps, request, context),
        verify: (request, context) => verify(deps, request, context),
        list: (request, context) => listPresentations(deps, request, context),
        getQuotas: async (_request, context) => ({ presentations: await deps.quota.read(context) }),
        eraseAccount: erasure(options.store.erasure),
        eraseSubject: subjectErasure([options.store.holderErasure]),
    };
}

async function verify(
    { signatures, webKeys, services, clock }: PresentationsDependencies,
    { presentation, audience, nonce, verify_credentials, check_revocation }: VerifyRequest,
    context: CallContext,
): Promise<PresentationVerification> {
    if (!isToken(presentation)) throw invalid('presentation is not a v4.public token.');
    if (!isDid(audience)) throw invalid('audience is not a DID.');
    requireBinding('nonce', nonce);
    const opened = await signatures.open({ token: presentation, byKid: true, ...PRESENTATION_MEMBERS }, context);
    const authentic = authenticPresentation(opened);
    if ('fault' in authentic) return { valid: false, credentials: [], error: authentic.fault };
    const keyFault = await webKeys.fault({ did: authentic.holder, kid: authentic.kid }, context);
    if (keyFault !== undefined) return { valid: false, credentials: [], error: keyFault };
    const presented = { credentials: authentic.credentials, check_revocation, items: [] };
    const credentials =
        verify_credentials && authentic.audience === audience
            ? (await services.credentials.verifyMany(presented, context)).results
            : [];
    return { ...presentationVerdict(authentic, { audience, nonce, now: clock(), credentials }), credentials };
}
