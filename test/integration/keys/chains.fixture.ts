import { type Admission, admission } from '../../../gateway/admission/admission.ts';
import { authenticator } from '../../../gateway/admission/authenticator.ts';
import type { Services } from '../../../gateway/services.ts';
import type { CallContext } from '../../../platform/context.ts';
import type { Redis } from '../../../platform/redis/redis.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { quiet } from '../../support/context.ts';
import { testContext } from '../../support/harness.ts';
import { testLimiter, testRedis, UNCOUNTED } from '../../support/test-redis.ts';
import { buildKeys, keysFixture, POLICY, SHARDS } from './keys.fixture.ts';

/** Active keys that an account may have here. */
export const PLACES = 3;
/** Calls per minute of a free key. */
export const FREE_LIMIT = RATE_LIMITS.free;
export const MONTH_S = 2_592_000;
const CLIENT = { ip: '127.0.0.1', address: '127.0.0.1' };

/** The keys service, and two gateways before it, each with a limiter on a connection of its own. */
export async function chainsFixture() {
    const { db, redis, activeByDeltas } = await keysFixture();
    const clock = { now: Date.now() };
    const few = { keyLimits: { free: PLACES, basic: PLACES, pro: PLACES, enterprise: PLACES } };
    const keys = buildKeys({ db, redis, clock: () => clock.now }, few);
    let lookUps = 0;
    const authenticate: typeof keys.authenticate = (request, context) => {
        lookUps++;
        return keys.authenticate(request, context);
    };

    /** Returns the function that admits a call with a key to a gateway with this connection to Redis. */
    function gateway(own: Redis) {
        const limiter = testLimiter({ redis: own, shards: SHARDS });
        const { bearer }: Admission = admission({
            authenticator: authenticator({
                services: { keys: { authenticate } } as unknown as Services, // nothing else is called
                limiter,
                sessionVerifier: { verify: async () => undefined },
                keyFormat: POLICY,
            }),
            limiter,
            requestCounts: UNCOUNTED,
            limits: { anonymous: 1_000_000, unknownKey: 1_000_000, internal: 1_000_000 },
            isInternal: () => false,
            log: quiet,
            metrics: createMetrics(),
            clock: () => clock.now,
        });
        return (apiKey: string) => bearer(apiKey, { keys: true }, CLIENT, testContext({ user_id: undefined }));
    }
    const gateways = [gateway(redis), gateway(await testRedis())] as const;

    return {
        db,
        clock,
        keys,
        gateway,
        /** How often the gateways have asked the keys service about a key. */
        lookUps: () => lookUps,
        activeByDeltas,
        inMs: (ms: number): string => new Date(clock.now + ms).toISOString(),
        used: async (context: CallContext) => (await keys.getQuotas({}, context)).active?.used,

        /** Makes calls with a key, on both gateways in turn. Returns how many were admitted. */
        async use(apiKey: string, calls: number): Promise<number> {
            const verdicts = Array.from({ length: calls }, (_, call) => gateways[call % 2 ? 1 : 0](apiKey));
            return (await Promise.all(verdicts)).filter(({ failure }) => failure === undefined).length;
        },
    };
}
