import { z } from 'zod';
import { type CallContext, detached } from '../../platform/context.ts';
import { singleFlight } from '../../platform/single-flight.ts';
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

/** Time limit for a check of the dependencies, in milliseconds. */
const LOOK_MS = 2_000;

const status = z.enum(['up', 'down']);

type Ping = (services: Services, context: CallContext) => Promise<unknown>;

/**
 * Checks one dependency once for all concurrent requests. The check goes on when the request that started it is given
 * up.
 */
function probe(ping: Ping): (...asking: Parameters<Ping>) => Promise<z.infer<typeof status>> {
    const look: Ping = (services, context) => ping(services, detached(context, LOOK_MS));
    const shared = singleFlight(look, LOOK_MS);
    return (...asking) =>
        shared(...asking).then(
            () => 'up',
            () => 'down',
        );
}

/**
 * The unversioned health document, without the envelope. 200 as long as the gateway can report on its dependencies
 * (U7). It is open to anybody and never refused, so each dependency is checked at most once at a time, however many
 * requests come.
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
            access: 'public',
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
