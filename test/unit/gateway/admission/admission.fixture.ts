import { admission } from '../../../../gateway/admission/admission.ts';
import type { Bearer } from '../../../../gateway/admission/authenticator.ts';
import type { Decision, LimitRequest } from '../../../../platform/access/limit-decision.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet, testContext } from '../../../support/context.ts';

export const ADDRESS = '203.0.113.7';
export const CLIENT = { ip: ADDRESS, address: ADDRESS };
const LIMITS = { anonymous: 100, unknownKey: 5, internal: 1_000_000 };
export const decision = (state: Decision['state']): Decision => ({
    state,
    limit: 1,
    remaining: 0,
    window: 60,
    reset: 0,
    wait: 7,
});

/** Admission with an authenticator that returns `bearer` for any token, and a limiter that decides by bucket. */
export function setUp(
    options: { bearer?: Partial<Bearer>; byBucket?: Record<string, Decision['state'] | Error> } = {},
) {
    const asked: LimitRequest[] = [];
    const local: LimitRequest[] = [];
    const counted: unknown[] = [];
    const admit = admission({
        authenticator: {
            identify: async () =>
                options.bearer && { kind: 'key', id: 'a', lookUp: async () => 'inactive' as const, ...options.bearer },
        },
        limiter: {
            async take(limitRequest) {
                asked.push(limitRequest);
                const state = options.byBucket?.[limitRequest.bucket] ?? 'admitted';
                if (state instanceof Error) throw state;
                return decision(state);
            },
            takeLocally(limitRequest) {
                local.push(limitRequest);
                return decision('limited');
            },
            tag: (account) => `{${account}}`,
        },
        requestCounts: {
            admitted: (caller, requests) => counted.push(['admitted', caller, requests]),
            refused: (caller) => counted.push(['refused', caller]),
            verifiedPresentation: (caller) => counted.push(['verified', caller]),
            loggedIn() {},
            async stop() {},
        },
        limits: LIMITS,
        isInternal: () => false,
        log: quiet,
        metrics: createMetrics(),
        clock: Date.now,
    });
    const call = async (token: string | undefined, accepts = { keys: true }, weight?: number) => {
        const { failure } = await admit.bearer(token, accepts, CLIENT, testContext(), weight);
        return failure && [failure.kind, failure.detail];
    };
    return { ...admit, asked, local, counted, call };
}

export const OF_ADDRESS = { tag: `{${ADDRESS}}`, bucket: `window:{${ADDRESS}}:address:calls:${ADDRESS}`, limit: 100 };
export const OF_UNKNOWN_KEYS = {
    tag: `{${ADDRESS}}`,
    bucket: `window:{${ADDRESS}}:address:lookups:${ADDRESS}`,
    limit: 5,
};
export const UNKNOWN = ['unauthenticated', 'The bearer token is unknown, revoked or expired.'];
export const EXCEEDED = ['rate_limited', 'Limit of 1 requests per minute exceeded. Try again in 7 seconds.'];
