import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { admission } from '../../../../gateway/admission/admission.ts';
import { authenticator } from '../../../../gateway/admission/authenticator.ts';
import type { Exchange } from '../../../../gateway/http/exchange.ts';
import type { Services } from '../../../../gateway/services.ts';
import { makeApiKey } from '../../../../platform/access/api-key.ts';
import type { Decision, LimitRequest } from '../../../../platform/access/limit-decision.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import type { AuthenticateResponse } from '../../../../proto/gen/keys/v1/keys.ts';
import { SCOPES, type Scope, scopeMask } from '../../../../proto/scopes.ts';
import { quiet, testContext } from '../../../support/context.ts';
import { UNCOUNTED, UNRESTRICTED } from '../../../support/test-redis.ts';

const T0 = 1_800_000_000_000;
const FORMAT = { brand: 'cred', environment: 'test' } as const;
const { api_key: token } = makeApiKey(FORMAT);
const EXPIRED = ['unauthenticated', 'The API key has expired.'];
const ELSEWHERE = ['forbidden', 'The API key may not be used from this address.'];

/** An admission with one key, whose restrictions and whose clock the test sets. */
function setUp(_t: TestContext, restrictions: Partial<AuthenticateResponse> = {}) {
    const key = {
        alive: true,
        key_id: 'k',
        user_id: 'u',
        tier: 'pro',
        rate_limit: 1_000,
        ...UNRESTRICTED,
        ...restrictions,
    };
    const seen = { lookUps: 0, charged: 0, byAddress: [] as string[] };
    const clock = { now: T0 };
    const redis = { state: 'admitted' as Decision['state'], unconfirmed: 0 };
    const metrics = createMetrics();
    const decision = (state: Decision['state']): Decision => ({
        state,
        limit: 9,
        remaining: 8,
        window: 60,
        reset: 0,
        wait: 1,
    });
    const limiter = {
        async take(limitRequest: LimitRequest) {
            if (limitRequest.mark === undefined) seen.byAddress.push(limitRequest.bucket.split(':')[3] ?? '');
            else seen.charged += limitRequest.weight ?? 1;
            if (limitRequest.mark === undefined) return decision('admitted');
            return decision(redis.unconfirmed-- > 0 ? 'unconfirmed' : redis.state);
        },
        takeLocally: () => decision('admitted'),
        tag: () => '{0}',
    };
    const services = {
        keys: {
            async authenticate() {
                seen.lookUps++;
                return key;
            },
        },
    } as unknown as Services; // nothing else is called
    const { admit } = admission({
        authenticator: authenticator({
            services,
            limiter,
            sessionVerifier: { verify: async () => undefined },
            keyFormat: FORMAT,
        }),
        limiter,
        requestCounts: UNCOUNTED,
        limits: { anonymous: 100, unknownKey: 100, internal: 100 },
        isInternal: () => false,
        log: quiet,
        metrics,
        clock: () => clock.now,
    });
    const call = async (ip = '203.0.113.7', scope: Scope = 'dids:read') => {
        const exchange = {
            ...testContext(),
            ip,
            address: ip,
            request: { headers: { authorization: `Bearer ${token}` } },
        };
        // The admission reads nothing else of an exchange.
        const { failure } = await admit({ access: 'bearer', scope }, exchange as unknown as Exchange);
        return failure ? [failure.kind, failure.detail] : 'served';
    };
    return { key, seen, clock, redis, call, exposed: async () => (await metrics.expose()).text };
}

describe('a key that expires', () => {
    it('is served until the last millisecond, also from the cache, and is then refused without being charged', async (t) => {
        const { call, clock, seen } = setUp(t, { expires_at_ms: T0 + 5_000 });
        assert.equal(await call(), 'served');
        clock.now = T0 + 4_999;
        assert.equal(await call(), 'served');
        assert.deepEqual([seen.lookUps, seen.charged], [1, 2]);
        clock.now = T0 + 5_000;
        assert.deepEqual(await call(), EXPIRED);
        assert.deepEqual([seen.charged, seen.byAddress.slice(2)], [2, ['calls']]);
        assert.equal(await call().then(() => seen.lookUps), 1, 'the owning service is not asked again');
    });

    it('is served again by the next call after its expiry was moved or removed', async (t) => {
        const { call, clock, key, redis } = setUp(t, { expires_at_ms: T0 + 1 });
        clock.now = T0 + 1;
        assert.deepEqual(await call(), EXPIRED);
        key.expires_at_ms = T0 + 2;
        redis.unconfirmed = 1; // the change has set a version mark
        assert.equal(await call(), 'served');
        clock.now = T0 + 2;
        assert.deepEqual(await call(), EXPIRED);
        delete key.expires_at_ms;
        redis.unconfirmed = 1;
        assert.equal(await call(), 'served');
    });
});

describe('a key for some addresses', () => {
    const restrictions = { allowed_addresses: ['203.0.113.0/24', '2001:db8::/32'] };

    it('is refused elsewhere, by the address and without being charged', async (t) => {
        const { call, seen } = setUp(t, restrictions);
        for (const ip of ['203.0.113.7', '::ffff:203.0.113.255', '2001:db8::1']) assert.equal(await call(ip), 'served');
        const { charged } = seen;
        for (const ip of ['203.0.112.255', '2001:db9::1', '::1', 'unknown'])
            assert.deepEqual(await call(ip), ELSEWHERE);
        assert.equal(seen.charged, charged);
        assert.deepEqual([seen.lookUps, seen.byAddress.slice(2)], [1, Array(4).fill('calls')]);
    });

    it('is served from another address by the next call after that was allowed', async (t) => {
        const { call, key, redis } = setUp(t, restrictions);
        assert.deepEqual(await call('192.0.2.1'), ELSEWHERE);
        key.allowed_addresses = ['192.0.2.0/24'];
        redis.unconfirmed = 1;
        assert.equal(await call('192.0.2.1'), 'served');
    });
});

it('a restriction holds while Redis is unreachable, by the owning service’s answer to each call', async (t) => {
    const { call, key, redis, clock } = setUp(t);
    assert.equal(await call(), 'served');
    redis.state = 'unreachable';
    assert.equal(await call(), 'served');
    key.allowed_addresses = ['192.0.2.0/24'];
    assert.deepEqual(await call(), ELSEWHERE);
    key.allowed_addresses = [];
    key.expires_at_ms = clock.now;
    assert.deepEqual(await call(), EXPIRED);
});

it('a key may do exactly what its scopes say, and without scopes everything', async (t) => {
    for (const held of [[], ['credentials:*'], ['dids:read', 'wallets:write'], ['presentations:*', 'dids:*']]) {
        const limited = held.length > 0;
        const { call } = setUp(t, limited ? { scope_mask: scopeMask(held) } : {});
        for (const scope of SCOPES) {
            const isHeld = !limited || held.includes(scope) || held.includes(`${scope.split(':')[0]}:*`);
            const lacks = ['forbidden', `This API key lacks the scope ${scope}.`];
            assert.deepEqual(await call(undefined, scope), isHeld ? 'served' : lacks);
        }
    }
});

it('refusals are counted by restriction, a missing scope is charged, and a limited key is 429 first', async (t) => {
    const { call, seen, clock, redis, exposed } = setUp(t, {
        expires_at_ms: T0 + 9,
        allowed_addresses: ['203.0.113.0/24'],
        scope_mask: scopeMask(['dids:read']),
    });
    await call('203.0.113.7', 'wallets:open');
    assert.equal(seen.charged, 1);
    redis.state = 'limited';
    assert.equal((await call('203.0.113.7', 'wallets:open'))[0], 'rate_limited');
    await call('192.0.2.1');
    clock.now = T0 + 9;
    await call();
    for (const restriction of ['expiry', 'address', 'scope']) {
        assert.ok((await exposed()).includes(`api_key_restrictions_refused_total{restriction="${restriction}"} 1`));
    }
});
