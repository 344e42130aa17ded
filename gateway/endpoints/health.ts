import { z } from 'zod';
import { type CallContext, detached } from '../../platform/context.ts';
import { singleFlight } from '../../platform/single-flight.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';

export interface HealthProbes {
    version: string;
    /** Rejects if Redis does not answer. */
    cache(): Promise<unknown>;
    /** The current time, in milliseconds since 1970. */
    clock(): number;
}

export const HEALTH_PATH = '/internal/health';

/** Time limit for a check of the dependencies, in milliseconds. Beyond it: the dependency is `down`. */
const CHECK_TIMEOUT_MS = 2_000;

const status = z.enum(['up', 'down']);

type Ping = (services: Services, context: CallContext) => Promise<unknown>;

/**
 * Checks one dependency once for all concurrent requests (single flight). The check continues when the request that
 * started it is cancelled.
 */
function probe(ping: Ping): (...asking: Parameters<Ping>) => Promise<z.infer<typeof status>> {
    const check: Ping = (services, context) => ping(services, detached(context, CHECK_TIMEOUT_MS));
    const shared = singleFlight(check, 'health', CHECK_TIMEOUT_MS);
    return (...asking) =>
        shared(...asking).then(
            () => 'up',
            () => 'down',
        );
}

/**
 * The health endpoint. It has no version and no envelope. It answers 200 as long as the gateway can report on its
 * dependencies (U7). Any client may call it, and the gateway never refuses it. So each dependency has at most one check
 * in progress, however many requests arrive.
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
            summary: 'Get the health of the service',
            description: 'The answer has no envelope. While a dependency is down, it is 200 with `status: degraded`.',
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
