import type { CallContext } from '../../../platform/context.ts';
import type { NotifyRequest } from '../../../proto/gen/exchange/v1/exchange.ts';
import type { WalletDependencies } from './dependencies.ts';
import { oauthError } from './oauth-error.ts';
import { offerOfToken } from './offer-of-token.ts';

const EVENTS: readonly string[] = ['credential_accepted', 'credential_failure', 'credential_deleted'];

/** Notes what the wallet says about its credentials (OpenID4VCI 1.0, section 11). */
export async function notify(
    deps: WalletDependencies,
    { notification_id, event, ...presented }: NotifyRequest,
    context: CallContext,
): Promise<Record<string, never>> {
    const offer = await offerOfToken(deps, presented, '/notification', context);
    if (notification_id !== offer.id) {
        throw oauthError('invalid_notification_id', 'The notification_id is not one of this offer.');
    }
    if (!EVENTS.includes(event)) {
        throw oauthError('invalid_notification_request', `event must be one of ${EVENTS.join(', ')}.`);
    }
    await deps.store.notify({ offer: offer.id, notification: event }, context);
    return {};
}
