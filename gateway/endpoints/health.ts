import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

export interface HealthProbes {
    version: string;
    /** Whether Redis answers. */
    cache(): Promise<unknown>;
}

export const HEALTH_PATH = '/internal/health';

const status = z.enum(['up', 'down']);

async function probe(answers: Promise<unknown>): Promise<'up' | 'down'> {
    return answers.then(
        () => 'up' as const,
        () => 'down' as const,
    );
}

/** The unversioned health document; not in the envelope. 200 while the gateway can say how its dependencies are (U7). */
export function healthEndpoints(probes: HealthProbes) {
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
            timeout_ms: 2_000,
            async call({ services, context }) {
                const [database, cache, storage] = await Promise.all([
                    probe(services.identity.ping({}, context)),
                    probe(probes.cache()),
                    probe(services.credentials.ping({}, context)),
                ]);
                const healthy = [database, cache, storage].every((state) => state === 'up');
                return {
                    status: healthy ? ('healthy' as const) : ('degraded' as const),
                    version: probes.version,
                    timestamp: new Date().toISOString(),
                    services: { database, cache, storage },
                };
            },
        }),
    ];
}
