import { credentialEndpoints } from './credentials.ts';
import { didEndpoints } from './dids.ts';
import { type HealthProbes, healthEndpoints } from './health.ts';
import { internalAdminEndpoints } from './internal-admin.ts';
import { internalAuthEndpoints } from './internal-auth.ts';
import { internalOperationEndpoints } from './internal-operations.ts';
import { keyEndpoints } from './keys.ts';
import { meEndpoints } from './me.ts';
import { presentationEndpoints } from './presentations.ts';
import { quotaEndpoints } from './quotas.ts';
import { statisticsEndpoints } from './statistics.ts';
import { walletEndpoints } from './wallets.ts';

/** All HTTP endpoints, public and internal. */
export function endpointTable(probes: HealthProbes) {
    return [
        ...keyEndpoints,
        ...didEndpoints,
        ...credentialEndpoints,
        ...presentationEndpoints,
        ...walletEndpoints,
        ...meEndpoints,
        ...quotaEndpoints,
        ...statisticsEndpoints,
        ...internalAuthEndpoints,
        ...internalAdminEndpoints,
        ...internalOperationEndpoints,
        ...healthEndpoints(probes),
    ];
}

/** The ids of all endpoints. The end-to-end tests must have an example for each of them. */
export type EndpointId = ReturnType<typeof endpointTable>[number]['id'];
