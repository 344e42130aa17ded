import { type CallContext, ownContext } from '../../../platform/context.ts';
import type { WalletDependencies } from './dependencies.ts';

/*
 * A wallet has no account here. What it does with an offer, it does in the name of the account that has made the offer,
 * with the API key or the session of that time.
 */

/** Who has made an offer. */
interface OfferMaker {
    account: string;
    /** Null if that was a session. */
    api_key: string | null;
    session?: string | null;
    tier?: string | null;
}

/** The context of a call that a wallet causes, in the name of who has made its offer. */
export function asMaker({ account, api_key, session, tier }: OfferMaker, wallet: CallContext): CallContext {
    const { request_id, deadline, cancellation, address } = wallet;
    return {
        ...ownContext(),
        trusted: false,
        request_id,
        deadline,
        cancellation,
        address,
        user_id: account,
        ...(api_key !== null && { key_id: api_key }),
        ...(session && { session_id: session }),
        ...(tier && { tier }),
    };
}

/** False if a wallet would take the offer for nothing: who has made it may not act any more, or its issuer is archived. */
export async function canStillIssue(
    deps: Pick<WalletDependencies, 'services' | 'issuerIsActive'>,
    offer: OfferMaker & { issuer: string },
    wallet: CallContext,
): Promise<boolean> {
    const active = [makerIsActive(deps, offer, wallet), deps.issuerIsActive(offer, wallet)];
    return !(await Promise.all(active)).includes(false);
}

/** False if the account of an offer is suspended, or if the API key that has made it is revoked or has expired. */
export async function makerIsActive(
    { services }: Pick<WalletDependencies, 'services'>,
    maker: OfferMaker,
    wallet: CallContext,
): Promise<boolean> {
    return (await services.keys.mayAct({ key_id: maker.api_key ?? undefined }, asMaker(maker, wallet))).may_act;
}
