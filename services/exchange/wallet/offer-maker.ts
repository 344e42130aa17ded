import { type CallContext, ownContext } from '../../../platform/context.ts';
import type { Scope } from '../../../proto/scopes.ts';
import type { WalletDependencies } from './dependencies.ts';
import { refusesIssue } from './oauth-error.ts';

/*
 * A wallet has no account here. What it does with an offer, it does in the name of the account that has made the offer,
 * with the API key or the session of that time.
 */

/** What the API key of an offer must be allowed to do, when it makes the offer and when a wallet takes it. */
const SCOPE = 'credentials:issue' satisfies Scope;

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

/** False if a wallet would take the offer for nothing: who has made it may not act any more, or its issuer cannot sign. */
export async function canStillIssue(
    { services }: Pick<WalletDependencies, 'services'>,
    offer: OfferMaker & { issuer_did: string },
    wallet: CallContext,
): Promise<boolean> {
    const checks = [makerIsActive({ services }, offer, wallet), issuerCanSign({ services }, offer, wallet)];
    return !(await Promise.all(checks)).includes(false);
}

/** False if the issuer of an offer is archived, has no active key, or belonged to an account that is erased. */
async function issuerCanSign(
    { services }: Pick<WalletDependencies, 'services'>,
    { issuer_did, ...maker }: OfferMaker & { issuer_did: string },
    wallet: CallContext,
): Promise<boolean> {
    try {
        await services.signing.checkSigner({ did: issuer_did, jws: true }, asMaker(maker, wallet));
        return true;
    } catch (error) {
        if (refusesIssue(error)) return false;
        throw error;
    }
}

/**
 * False if the account of an offer is suspended, or if the API key that has made it is revoked, has expired or may not issue
 * credentials any more.
 */
export async function makerIsActive(
    { services }: Pick<WalletDependencies, 'services'>,
    maker: OfferMaker,
    wallet: CallContext,
): Promise<boolean> {
    const asked = { key_id: maker.api_key ?? undefined, scope: SCOPE };
    return (await services.keys.mayAct(asked, asMaker(maker, wallet))).may_act;
}
