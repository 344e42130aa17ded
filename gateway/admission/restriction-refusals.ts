import { AppError } from '../../platform/errors.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Scope } from '../../proto/scopes.ts';

/** The refusals of calls that the restrictions of an API key do not permit. Each is counted. */
export interface RestrictionRefusals {
    expired(): AppError;
    address(): AppError;
    scope(scope: Scope): AppError;
}

export function restrictionRefusals(metrics: Metrics): RestrictionRefusals {
    const refused = metrics.counter({
        name: 'api_key_restrictions_refused_total',
        help: 'Calls with an active API key that its restrictions do not permit, by the restriction.',
        labels: ['restriction'],
    });
    const counted = (restriction: string, error: AppError): AppError => {
        refused.inc({ restriction });
        return error;
    };
    for (const restriction of ['expiry', 'address', 'scope']) refused.inc({ restriction }, 0);
    return {
        expired: () => counted('expiry', new AppError('unauthenticated', 'The API key has expired.')),
        address: () => counted('address', new AppError('forbidden', 'The API key may not be used from this address.')),
        scope: (scope) => counted('scope', new AppError('forbidden', `This API key lacks the scope ${scope}.`)),
    };
}
