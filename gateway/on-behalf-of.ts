import type { CallContext } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { isId } from '../platform/uuid.ts';
import type { Exchange } from './http/exchange.ts';
import type { Services } from './services.ts';

/**
 * Lets a trusted call act for the account in `X-On-Behalf-Of`, with the account's current tier and rights (decision
 * A21). Without the header the call acts for no account, and the objects that it creates have no owner.
 */
export async function actOnBehalf(exchange: Exchange, context: CallContext, { identity }: Services): Promise<void> {
    const named = accountNamedIn(exchange);
    if (named === undefined) return;
    exchange.on_behalf_of = named;
    context.user_id = named;
    try {
        context.tier = (await identity.getUser({}, context)).tier;
    } catch (error) {
        // 400 instead of 404, because the credential or DID in the path may exist.
        if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
        throw new AppError('invalid', 'The account in X-On-Behalf-Of does not exist.');
    }
}

/** Returns the id in `X-On-Behalf-Of`. Throws AppError `invalid` if it is malformed. */
export function accountNamedIn({ request }: Exchange): string | undefined {
    const named = request.headers['x-on-behalf-of'];
    // If the field was sent twice, Node joins the values, and the result is not an id.
    if (named !== undefined && (typeof named !== 'string' || !isId(named))) {
        throw new AppError('invalid', 'X-On-Behalf-Of must be the id of one account.');
    }
    return named;
}
