import { randomBytes } from 'node:crypto';
import { type CallContext, requireTrusted, requireUser, withoutIdempotencyKey } from '../../../platform/context.ts';
import { AppError, invalid } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { isId } from '../../../platform/uuid.ts';
import {
    type CreateWebhookSecretRequest,
    type EraseWebhookSecretsRequest,
    type EraseWebhookSecretsResponse,
    RotateWebhookSecretRequest,
    WebhookSecret,
} from '../../../proto/gen/signing/v1/signing.ts';
import { MAX_OVERLAP_SECONDS } from '../../../proto/limits.ts';
import { type Claim, type HeldClaim, openAnswer, sealAnswer } from '../../idempotency/claim.ts';
import type { SigningDependencies } from '../dependencies.ts';
import type { NewSecret } from './secrets.store.ts';

/** Length of a secret, in bytes. Standard Webhooks allows 24 to 64. */
const SECRET_BYTES = 32;

/** A webhook of an account. */
export interface OwnWebhook {
    account: string;
    webhook: string;
}

/** A webhook of another account gets the same answer as one that does not exist. */
export function unknownWebhook(): AppError {
    return new AppError('not_found', 'This webhook does not exist.');
}

export function ownWebhook(webhookId: string, context: CallContext): OwnWebhook {
    const account = requireUser(context);
    if (!isId(webhookId)) throw unknownWebhook();
    return { account, webhook: webhookId };
}

export async function createWebhookSecret(
    deps: SigningDependencies,
    { webhook_id }: CreateWebhookSecretRequest,
    context: CallContext,
): Promise<WebhookSecret> {
    requireTrusted(context);
    const { secret, row } = await newSecret(deps, ownWebhook(webhook_id, context), context);
    await deps.webhookSecrets.insert(row, context);
    return { secret };
}

/** A repeated call gets the answer of the first one. Resolves when every process signs with the new secret. */
export async function rotateWebhookSecret(
    deps: SigningDependencies,
    request: RotateWebhookSecretRequest,
    context: CallContext,
): Promise<WebhookSecret> {
    const own = ownWebhook(request.webhook_id, context);
    if (request.overlap_seconds > MAX_OVERLAP_SECONDS) {
        throw invalid(`overlap_seconds must be a whole number from 0 to ${MAX_OVERLAP_SECONDS}.`);
    }
    const call = { operation: 'webhooks.rotate_secret', codec: RotateWebhookSecretRequest, message: request };
    const claim = deps.idempotency.claimOf({ ...call, showsSecret: true }, context);
    const write = () => written(deps, { own, request, claim }, context);
    const open = openAnswer(WebhookSecret);
    const replay = async (held: HeldClaim, made: Claim) => {
        await deps.leasesEnd(); // the first call may still wait for this
        return open(held, made);
    };
    return deps.idempotency.once(claim, { write, replay, lookFirst: true }, context);
}

/** Resolves to undefined if an earlier call holds the claim. */
async function written(
    deps: SigningDependencies,
    { own, request, claim }: { own: OwnWebhook; request: RotateWebhookSecretRequest; claim: Claim | undefined },
    context: CallContext,
): Promise<WebhookSecret | undefined> {
    const { secret, row } = await newSecret(deps, own, context);
    const endsAt = new Date(Date.parse(row.created_at) + request.overlap_seconds * 1_000).toISOString();
    const answer: WebhookSecret = { secret, previous_until: endsAt };
    const newClaim = claim && {
        ...claim,
        id: own.webhook,
        made_at: row.created_at,
        sealed: sealAnswer(claim, { codec: WebhookSecret, message: answer }),
    };
    const outcome = await deps.webhookSecrets.rotate({ secret: row, endsAt, claim: newClaim }, context);
    if (outcome === 'missing') throw unknownWebhook();
    if (outcome === 'held') return undefined;
    await deps.leasesEnd();
    return answer;
}

async function newSecret(
    { seals, clock }: SigningDependencies,
    own: OwnWebhook,
    context: CallContext,
): Promise<{ secret: string; row: NewSecret }> {
    const bytes = randomBytes(SECRET_BYTES);
    const secret = `whsec_${bytes.toString('base64')}`;
    const now = clock();
    const binding = { ...own, secret: newId(now) };
    const sealed = await seals.seal(bytes, binding, withoutIdempotencyKey(context));
    return { secret, row: { ...binding, ...sealed, created_at: new Date(now).toISOString() } };
}

export async function eraseWebhookSecrets(
    { webhookSecrets }: SigningDependencies,
    { webhook_id }: EraseWebhookSecretsRequest,
    context: CallContext,
): Promise<EraseWebhookSecretsResponse> {
    requireTrusted(context);
    await webhookSecrets.erase(ownWebhook(webhook_id, context), context);
    return {};
}
