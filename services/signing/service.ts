import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { SigningServiceDefinition } from '../../proto/gen/signing/v1/signing.ts';
import { erasure } from '../erasure.ts';
import { archiveIssuer, markCompromised, rotateKey } from './change.ts';
import { checkpointSigner } from './checkpoints.ts';
import { createIssuer } from './create.ts';
import type { SigningDependencies } from './dependencies.ts';
import { getIssuer, getPublicIssuer, getQuotas, listIssuers } from './issuers.ts';
import { JWS_ALGORITHMS, signJws } from './jws/sign-jws.ts';
import { statusLists } from './jws/status-list.ts';
import { ownIssuer } from './own-issuer.ts';
import { getKeys, sign } from './sign.ts';
import { createWebhookSecret, eraseWebhookSecrets, rotateWebhookSecret } from './webhook-secrets/secrets.ts';
import { webhookSigner } from './webhook-secrets/sign.ts';

/** Managed issuers: their keys are created here, sealed in the database, and never leave this service. */
export function signingService(deps: SigningDependencies): ServiceOf<typeof SigningServiceDefinition> {
    const own = ownIssuer(deps);
    return {
        createIssuer: (request, context) => createIssuer(deps, request, context),
        listIssuers: (request, context) => listIssuers(deps, request, context),
        getIssuer: (request, context) => getIssuer(deps, request, context),
        rotateKey: (request, context) => rotateKey(deps, request, context),
        markCompromised: (request, context) => markCompromised(deps, request, context),
        archiveIssuer: (request, context) => archiveIssuer(deps, request, context),
        getQuotas: (_request, context) => getQuotas(deps, context),
        async checkSigner({ did, jws }, context) {
            await deps.signers.find(jws ? { did, algs: JWS_ALGORITHMS } : { did }, context);
            return {};
        },
        sign: (request, context) => sign(deps, request, context),
        signJws: (request, context) => signJws(deps, request, context),
        getKeys: (request, context) => getKeys(deps, request, context),
        getPublicIssuer: (request, context) => getPublicIssuer(deps, request, context),
        createWebhookSecret: (request, context) => createWebhookSecret(deps, request, context),
        rotateWebhookSecret: (request, context) => rotateWebhookSecret(deps, request, context),
        eraseWebhookSecrets: (request, context) => eraseWebhookSecrets(deps, request, context),
        signWebhook: webhookSigner(deps),
        eraseAccount: erasure(deps.store.erasure),
        ...statusLists(own, deps),
        ...checkpointSigner(own, deps.store),
    };
}
