import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { UsageServiceDefinition } from '../../proto/gen/usage/v1/usage.ts';
import { type ApproximateQuota, approximateQuota } from '../approximate-quota.ts';
import type { Quota } from '../quotas.ts';

/** The quota of the credentials that an account has issued. Credentials are never removed. */
export function credentialQuota(quota: Quota, usage: ServiceOf<typeof UsageServiceDefinition>): ApproximateQuota {
    return approximateQuota(quota, {
        what: 'credentials',
        count: async (context) => (await usage.getCounts({}, context)).credentials_issued,
    });
}
