import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { UsageServiceDefinition } from '../../proto/gen/usage/v1/usage.ts';
import { type ApproximateQuota, approximateQuota } from '../approximate-quota.ts';
import type { Quota } from '../quotas.ts';

/** The quota of the presentations that an account has created. Presentations are never removed. */
export function presentationQuota(quota: Quota, usage: ServiceOf<typeof UsageServiceDefinition>): ApproximateQuota {
    return approximateQuota(quota, {
        what: 'presentations',
        count: async (context) => (await usage.getCounts({}, context)).presentations_created,
    });
}
