import { invalid } from '../../platform/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Admission } from './admission.ts';

/**
 * Counts the items of a batch as requests: all but the first one, which was counted before the body was read. All of
 * them are admitted, or none. Throws AppError `invalid` if they exceed the limit itself, and `rate_limited` if they
 * exceed what is left of it.
 */
export async function countFurtherItems(
    exchange: Exchange,
    {
        admission,
        endpoint,
        items,
    }: { admission: Admission; endpoint: Pick<Endpoint, 'access' | 'scope'>; items: number },
): Promise<void> {
    const { decision, principal } = exchange;
    if (principal && decision && items > decision.limit) {
        const bearer = principal.key_id === undefined ? 'session' : 'key';
        throw invalid(`A ${bearer} of this tier may send ${decision.limit} items at once.`);
    }
    if (items === 1) return;
    const counted = await admission.admit(endpoint, exchange, items - 1);
    exchange.decision = counted.decision;
    if (counted.failure) throw counted.failure;
}
