import { z } from 'zod';
import { type CallContext, detached } from '../../platform/context.ts';
import { sharedLook } from '../../platform/shared-look.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';

export interface HealthProbes {
    version: string;
    /** Whether Redis answers. */
    cache(): Promise<unknown>;
    /** Milliseconds since 1970. */
    clock(): number;
}

export const HEALTH_PATH = '/internal/health';

/** How long a look at the dependencies may take, in milliseconds. */
const LOOK_MS = 2_000;

const status = z.enum(['up', 'down']);

type Ping = (services: Services, context: CallContext) => Promise<unknown>;

/** Asks one dependency, once for all who want to know at that time, and on when the client that came first goes away. */
function probe(ping: Ping): (...asking: Parameters<Ping>) => Promise<z.infer<typeof status>> {
    const look: Ping = (services, context) => ping(services, detached(context, LOOK_MS));
    const shared = sharedLook(look, LOOK_MS);
    return (...asking) =>
        shared(...asking).then(
            () => 'up',
            () => 'down',
        );
}

/**
 * The unversioned health document; not in the envelope. 200 while the gateway can say how its dependencies are (U7). It is open
 * to anybody and never refused, so that however many ask, each dependency is asked once at a time.
 */
export function healthEndpoints(probes: HealthProbes) {
    const ask = {
        database: probe(({ identity }, context) => identity.ping({}, context)),
        cache: probe(() => probes.cache()),
        storage: probe(({ credentials }, context) => credentials.ping({}, context)),
    };
    return [
        endpoint({
            id: 'internal.health',
            method: 'GET',
            path: HEALTH_PATH,
            access: 'none',
            status: 200,
            message: 'Health',
            bare: true,
            answer: z.object({
                status: z.enum(['healthy', 'degraded']),
                version: z.string(),
                timestamp: z.string(),
                services: z.object({ database: status, cache: status, storage: status }),
            }),
            async call({ services, context }) {
                const [database, cache, storage] = await Promise.all([
                    ask.database(services, context),
                    ask.cache(services, context),
                    ask.storage(services, context),
                ]);
                const healthy = [database, cache, storage].every((state) => state === 'up');
                return {
                    status: healthy ? ('healthy' as const) : ('degraded' as const),
                    version: probes.version,
                    timestamp: new Date(probes.clock()).toISOString(),
                    services: { database, cache, storage },
                };
            },
        }),
    ];
}
