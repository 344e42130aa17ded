import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { isId } from '../../platform/uuid.ts';
import { isEventType, WEBHOOK_TYPES } from '../../proto/event-types.ts';
import { MAX_WEBHOOK_DESCRIPTION } from '../../proto/limits.ts';
import { requireText } from '../texts.ts';
import { MAX_WAITING_DELIVERIES, type OwnWebhook } from './rows.ts';

/** The states that an owner can set. */
type OwnState = 'active' | 'paused';

export const DELIVERY_STATES: readonly string[] = ['waiting', 'delivered', 'failed'];

/** The webhook that a call of an account names. Throws `not_found` for a malformed id. */
export function ownWebhook(webhookId: string, context: CallContext): OwnWebhook {
    const account = requireUser(context);
    if (!isId(webhookId)) throw unknownWebhook();
    return { account, id: webhookId };
}

/** Throws `not_found` if there is no such webhook. One of another account gets the same answer. */
export function existingWebhook<Row>(row: Row | undefined): Row {
    if (row === undefined) throw unknownWebhook();
    return row;
}

export function unknownWebhook(): AppError {
    return new AppError('not_found', 'This webhook does not exist.');
}

/** Returns the types without repetitions, in the order of the list of all. */
export function knownTypes(types: readonly string[]): string[] {
    if (types.includes('account.erased')) {
        throw invalid('types must not contain account.erased: the webhooks of an account end before that event.');
    }
    if (!types.every(isEventType)) throw invalid(`types must be some of ${WEBHOOK_TYPES.join(', ')}.`);
    return WEBHOOK_TYPES.filter((type) => types.includes(type));
}

export function storableDescription(text: string): string {
    requireText('description', text, MAX_WEBHOOK_DESCRIPTION);
    return text;
}

export function settableState(state: string): OwnState {
    if (state !== 'active' && state !== 'paused') throw invalid('state must be active or paused.');
    return state;
}

/** Throws unless the webhook of this state gets what is sent. */
export function refuseInactive(state: string | undefined): void {
    if (existingWebhook(state) === 'active') return;
    throw new AppError('conflict', `This webhook is ${state}. Set its state to active first.`);
}

export function tooManyWaiting(): AppError {
    return new AppError('conflict', `${MAX_WAITING_DELIVERIES} deliveries of this webhook wait. Send this one later.`);
}

/** The account of the webhook was erased meanwhile, or its reservation was removed. */
export function tookTooLong(): AppError {
    const text = 'The webhook could not be created in time. Try again.';
    return new AppError('unavailable', text, { retry_after: 1, reason: 'webhooks' });
}
