import { ownContext } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import type { SigningServiceDefinition } from '../../../proto/gen/signing/v1/signing.ts';
import type { Sender } from '../sender/sender.ts';
import type { AttemptOutcome, DueDelivery, LanesStore, LeasedWebhook } from './rows.ts';
import { nextAttempt, type Verdict, verdictOf } from './schedule.ts';

export interface AttemptDependencies {
    store: Pick<LanesStore, 'record'>;
    signing: Pick<ServiceOf<typeof SigningServiceDefinition>, 'signWebhook'>;
    sender: Pick<Sender, 'send'>;
    /** Milliseconds since 1970. */
    clock: () => number;
    count(outcome: AttemptOutcome): void;
}

const SECRET_IS_LOST = 'The secret of this webhook is lost. Rotate it.';

/**
 * Signs a delivery, sends it and records what has become of it. Resolves to undefined if it was broken off, which counts as
 * no attempt. Throws if nothing can be signed now.
 */
export async function attempt(
    webhook: LeasedWebhook,
    due: DueDelivery,
    deps: AttemptDependencies,
    signal: AbortSignal,
): Promise<Verdict | undefined> {
    const at = deps.clock();
    const headers = await signedHeaders(webhook, due, Math.floor(at / 1_000), deps);
    const { url } = webhook;
    const verdict = headers
        ? verdictOf(await deps.sender.send({ url, headers, body: due.body }, signal))
        : verdictOf({ kind: 'failed', reason: SECRET_IS_LOST });
    if (signal.aborted && verdict.kind !== 'delivered') return undefined;
    deps.count(verdict.kind);
    await deps.store.record({ ...recordOf(due, verdict, at, deps.clock()), url });
    return verdict;
}

/** Resolves to undefined if the secret is lost. */
async function signedHeaders(
    { id, account }: LeasedWebhook,
    { event_id, body }: DueDelivery,
    timestamp: number,
    { signing }: AttemptDependencies,
): Promise<Record<string, string> | undefined> {
    try {
        const message = { webhook_id: id, message_id: event_id, timestamp, body };
        const { signatures } = await signing.signWebhook(message, { ...ownContext(), user_id: account });
        return {
            'content-type': 'application/json',
            'webhook-id': event_id,
            'webhook-timestamp': String(timestamp),
            'webhook-signature': signatures.join(' '),
        };
    } catch (error) {
        if (error instanceof AppError && (error.kind === 'conflict' || error.kind === 'not_found')) return undefined;
        throw error;
    }
}

function recordOf({ id, attempts, began_at }: DueDelivery, verdict: Verdict, at: number, now: number) {
    const { kind, status, reason, waitMs } = verdict;
    const beganAt = began_at === null ? at : Date.parse(began_at);
    const isOver = kind === 'delivered' || kind === 'gone';
    const next = isOver ? undefined : nextAttempt({ attempts: attempts + 1, beganAt, waitMs }, now);
    const state: 'waiting' | 'delivered' | 'failed' =
        kind === 'delivered' ? 'delivered' : next === undefined ? 'failed' : 'waiting';
    return {
        id,
        state,
        began_at: new Date(beganAt).toISOString(),
        at: new Date(at).toISOString(),
        due_at: next === undefined ? null : new Date(next).toISOString(),
        status,
        reason,
    };
}
