import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { CallContext } from '../../../platform/context.ts';
import { openRedis } from '../../../platform/redis/redis.ts';
import { SCOPE_NAMES } from '../../../proto/scopes.ts';
import { quiet } from '../../support/context.ts';
import { testContext } from '../../support/harness.ts';
import { kind } from '../identity/identity.fixture.ts';
import { buildKeys, keysFixture } from './keys.fixture.ts';

const { db, redis, authenticate, activeByDeltas } = await keysFixture();
const T0 = Date.parse('2030-05-06T07:08:09.123Z');
const clock = { now: T0 };
const at = (offsetMs: number): string => new Date(T0 + offsetMs).toISOString();
const keys = buildKeys({ db, redis, clock: () => clock.now });
const small = buildKeys(
    { db, redis, clock: () => clock.now },
    { keyLimits: { free: 1, basic: 1, pro: 1, enterprise: 1 } },
);
const RESTRICTIONS = {
    expires_at: at(60_000),
    scopes: ['dids:*', 'credentials:issue'],
    allowed_addresses: ['203.0.113.0/24', '2001:db8::/32'],
};

/** A new key. Its account has the clock at T0. */
async function newKey(service = keys, context: CallContext = testContext()) {
    clock.now = T0;
    const { key_id, api_key } = await service.generate({ name: 'a', ...RESTRICTIONS }, context);
    return { key_id, api_key, context };
}

const restrictionsOf = ({ expires_at, scopes, allowed_addresses }: typeof RESTRICTIONS | Record<string, unknown>) => ({
    expires_at,
    scopes,
    allowed_addresses,
});

describe('the restrictions of a key', () => {
    test('appear in the answers to generate, get and list, in their only form', async () => {
        clock.now = T0;
        const context = testContext();
        const sent = {
            ...RESTRICTIONS,
            expires_at: '2030-05-06T09:09:09.1239+02:00',
            allowed_addresses: ['203.0.113.0/24', '2001:0DB8::/32'],
        };
        const created = await keys.generate({ name: 'a', ...sent }, context);
        assert.deepEqual(restrictionsOf({ ...created }), RESTRICTIONS);
        const got = await keys.get({ key_id: created.key_id }, context);
        assert.deepEqual(restrictionsOf({ ...got }), RESTRICTIONS);
        const { keys: listed } = await keys.list({ limit: 10, with_total: true }, context);
        assert.deepEqual(listed, [got]);
    });

    const refused: Record<string, [field: object, text: RegExp]> = {
        'an expiry now': [{ expires_at: at(0) }, /must be in the future/],
        'an expiry in the past': [{ expires_at: '2001-01-01T00:00:00Z' }, /must be in the future/],
        'an expiry more than ten years ahead': [{ expires_at: '2040-05-06T07:08:09.124Z' }, /at most 10 years/],
        'an expiry without an offset': [{ expires_at: '2031-01-01T00:00:00' }, /with an offset/],
        'a date as expiry': [{ expires_at: '2031-01-01' }, /with an offset/],
        'a day that its month does not have': [{ expires_at: '2031-02-30T00:00:00Z' }, /with an offset/],
        'an empty expiry': [{ expires_at: '' }, /with an offset/],
        'an unknown scope': [{ scopes: ['credentials:issue', 'everything'] }, /may contain only credentials:issue, /],
        'a scope twice': [{ scopes: ['dids:read', 'dids:read'] }, /twice/],
        '33 scopes': [{ scopes: Array(33).fill('dids:read') }, /at most 32/],
        'a network with host bits': [{ allowed_addresses: ['203.0.113.1/24'] }, /without host bits/],
        'an address without a prefix': [{ allowed_addresses: ['203.0.113.1'] }, /CIDR/],
        'a network in two notations': [{ allowed_addresses: ['2001:db8::/32', '2001:0db8::/32'] }, /twice/],
        '33 networks': [{ allowed_addresses: Array.from({ length: 33 }, (_, at) => `10.${at}.0.0/16`) }, /at most 32/],
    };
    for (const [name, [field, text]] of Object.entries(refused)) {
        test(`are refused: ${name}`, async () => {
            const { key_id, context } = await newKey();
            const isRefused = (error: Error) => kind('invalid')(error) && text.test(error.message);
            await assert.rejects(keys.generate({ name: 'a', ...field }, context), isRefused);
            await assert.rejects(keys.restrict({ key_id, ...field }, context), isRefused);
            assert.deepEqual(restrictionsOf({ ...(await keys.get({ key_id }, context)) }), RESTRICTIONS);
        });
    }

    test('may be every scope, 32 networks and an expiry in exactly ten years', async () => {
        const networks = Array.from({ length: 32 }, (_, index) => `10.${index}.0.0/16`);
        const widest = {
            expires_at: '2040-05-06T07:08:09.123Z',
            scopes: [...SCOPE_NAMES],
            allowed_addresses: networks,
        };
        const created = await keys.generate({ name: 'a', ...widest }, testContext());
        assert.deepEqual(restrictionsOf({ ...created }), widest);
    });

    test('change one by one, and can be removed; the name can change with them', async () => {
        const { key_id, context } = await newKey();
        const narrowed = await keys.restrict({ key_id, scopes: ['dids:read'] }, context);
        assert.deepEqual(restrictionsOf({ ...narrowed }), { ...RESTRICTIONS, scopes: ['dids:read'] });
        const free = { clear_expires_at: true, clear_scopes: true, clear_allowed_addresses: true };
        const freed = await keys.restrict({ key_id, name: ' b ', ...free }, context);
        assert.deepEqual(restrictionsOf({ ...freed }), { expires_at: undefined, scopes: [], allowed_addresses: [] });
        assert.equal(freed.name, 'b');
    });

    test('cannot be given and removed by one change', async () => {
        const { key_id, context } = await newKey();
        for (const [field, change] of Object.entries({
            expires_at: { expires_at: RESTRICTIONS.expires_at, clear_expires_at: true },
            scopes: { scopes: ['dids:read'], clear_scopes: true },
            allowed_addresses: { allowed_addresses: ['10.0.0.0/8'], clear_allowed_addresses: true },
        })) {
            await assert.rejects(keys.restrict({ key_id, ...change }, context), (error: Error) => {
                return (
                    kind('invalid')(error) && error.message === `Only one of ${field} and clear_${field} may be given.`
                );
            });
        }
        assert.deepEqual(restrictionsOf({ ...(await keys.get({ key_id }, context)) }), RESTRICTIONS);
    });

    test('reach a gateway with a version that grows with each change, and hide the key from one that ignores them', async () => {
        const { key_id, api_key, context } = await newKey();
        const { alive, ...key } = await authenticate(api_key);
        assert.deepEqual(
            [alive, key.expires_at_ms, key.allowed_addresses, key.version],
            [true, T0 + 60_000, RESTRICTIONS.allowed_addresses, 0],
        );
        assert.equal(key.scope_mask, 0b110001);
        const asOfOld = { hash: hash('sha256', api_key, 'buffer'), enforces_restrictions: false };
        assert.equal((await keys.authenticate(asOfOld, testContext())).alive, false);
        await keys.restrict(
            { key_id, clear_expires_at: true, clear_scopes: true, clear_allowed_addresses: true },
            context,
        );
        assert.equal((await keys.authenticate(asOfOld, testContext())).alive, true);
        await keys.restrict({ key_id, scopes: ['dids:read'] }, context);
        assert.equal((await authenticate(api_key)).version, 2);
    });

    test('of another account’s key cannot be changed, and fifty changes at once give fifty versions', async () => {
        const { key_id, api_key, context } = await newKey();
        await assert.rejects(keys.restrict({ key_id, scopes: ['dids:read'] }, testContext()), kind('not_found'));
        await assert.rejects(keys.restrict({ key_id: 'x', scopes: ['dids:read'] }, context), kind('not_found'));
        await Promise.all(
            Array.from({ length: 50 }, (_, call) =>
                keys.restrict({ key_id, scopes: [call % 2 ? 'dids:read' : 'dids:*'] }, context),
            ),
        );
        assert.equal((await authenticate(api_key)).version, 50);
    });

    test('are changed without Redis too, and the answer is unavailable', async (t) => {
        const { key_id, context } = await newKey();
        const away = openRedis({ url: 'redis://127.0.0.1:1', log: quiet });
        t.after(() => away.disconnect());
        const cutOff = buildKeys({ db, redis: away, clock: () => clock.now });
        await assert.rejects(cutOff.restrict({ key_id, scopes: ['dids:read'] }, context), kind('unavailable'));
        assert.deepEqual((await keys.get({ key_id }, context)).scopes, ['dids:read']);
    });
});

describe('an expired key', () => {
    test('is shown as inactive from that millisecond on, and does not count as active', async () => {
        const { key_id, context } = await newKey(small);
        const shown = async () => [
            (await small.get({ key_id }, context)).active,
            (await small.getQuotas({}, context)).active?.used,
        ];
        clock.now = T0 + 59_999;
        assert.deepEqual(await shown(), [true, 1]);
        await assert.rejects(small.generate({ name: 'b' }, context), kind('forbidden'));
        clock.now = T0 + 60_000;
        assert.deepEqual(await shown(), [false, 0]);
        await small.generate({ name: 'b' }, context);
        assert.deepEqual([(await small.getQuotas({}, context)).active?.used, await activeByDeltas(context)], [1, 1]);
    });

    test('that was given a later expiry is active again if the account has a place for it', async () => {
        const { key_id, context } = await newKey(small);
        clock.now = T0 + 60_000;
        const { key_id: other } = await small.generate({ name: 'b' }, context);
        const revive = () => small.restrict({ key_id, clear_expires_at: true }, context);
        await assert.rejects(revive(), kind('forbidden'));
        await small.revoke({ key_id: other }, context);
        assert.equal((await revive()).expires_at, undefined);
        await revive();
        assert.deepEqual([(await small.getQuotas({}, context)).active?.used, await activeByDeltas(context)], [1, 1]);
        await assert.rejects(small.generate({ name: 'c' }, context), kind('forbidden'));
    });

    test('that is revoked gives up its place once', async () => {
        for (const isReleased of [true, false]) {
            const { key_id, context } = await newKey(small);
            clock.now = T0 + 60_000;
            if (isReleased)
                await small.revoke({ key_id: (await small.generate({ name: 'b' }, context)).key_id }, context);
            await small.revoke({ key_id }, context);
            assert.deepEqual(
                [(await small.getQuotas({}, context)).active?.used, await activeByDeltas(context)],
                [0, 0],
            );
        }
    });
});
