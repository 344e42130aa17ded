import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/until.ts';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { type Account, newAccount, newDid, newKey } from '../support/world.ts';

const account = await newAccount();
const { did } = await newDid(account.token);
const rotate = (keyId: string, body?: unknown, owner: Account = account): Call => ({
    method: 'POST',
    path: `/v1/keys/${keyId}/rotate`,
    token: owner.token,
    body,
});
const use = (token: string, gateway = 0): Call => ({ path: `/v1/did/${did}`, token, gateway });
const revoke = (keyId: string): Call => ({ method: 'DELETE', path: `/v1/keys/${keyId}`, token: account.token });

describe('a rotated key', () => {
    it('is answered like a generated one, with what it replaces', async () => {
        const { api_key: _, ...old } = await newKey(account);
        const { api_key, replaces, ...key } = await expectOk(201, rotate(old.key_id, { overlap_seconds: 60 }));
        const { key_id, created_at } = key;
        assert.deepEqual(key, { ...old, key_id, created_at });
        assert.equal(replaces.key_id, old.key_id);
        assert.ok(Math.abs(Date.parse(replaces.expires_at) - Date.now() - 60_000) < 10_000);
        const shown = await expectOk(200, { path: `/v1/keys/${old.key_id}`, token: account.token });
        assert.deepEqual([shown.replaced_by, shown.expires_at, shown.active], [key_id, replaces.expires_at, true]);
        for (const gateway of [0, 1]) await expectOk(200, use(api_key, gateway));
        await expectOk(200, revoke(key_id));
    });

    it('works beside the old one until that ends, on both gateways', async () => {
        const old = await newKey(account);
        for (const gateway of [0, 1]) await expectOk(200, use(old.api_key, gateway));
        const { api_key, key_id, replaces } = await expectOk(201, rotate(old.key_id, { overlap_seconds: 2 }));
        for (const token of [old.api_key, api_key, old.api_key]) {
            for (const gateway of [0, 1]) await expectOk(200, use(token, gateway));
        }
        let last = await send(use(old.api_key));
        while (last.status === 200) last = await send(use(old.api_key, 1));
        assert.ok(Date.now() >= Date.parse(replaces.expires_at) - 50, 'the old key is not refused early');
        assert.equal(last.body.error, 'The API key has expired.');
        for (const gateway of [0, 1]) {
            await expectError(401, use(old.api_key, gateway));
            await expectOk(200, use(api_key, gateway));
        }
        await expectOk(200, revoke(key_id));
    });

    it('without an overlap replaces the old one from the next call on, on both gateways', async () => {
        const old = await newKey(account);
        for (const gateway of [0, 1]) await expectOk(200, use(old.api_key, gateway));
        const { api_key, key_id } = await expectOk(201, rotate(old.key_id, { overlap_seconds: 0 }));
        for (const gateway of [1, 0]) {
            await expectError(401, use(old.api_key, gateway));
            await expectOk(200, use(api_key, gateway));
        }
        await expectError(409, rotate(old.key_id));
        await expectOk(200, revoke(key_id));
    });

    it('can be changed over to under load without a refused call', async () => {
        const first = await newKey(account);
        const world = { token: first.api_key, over: false, calls: 0, refused: [] as string[] };
        const inUse: string[] = [];
        const callers = Array.from({ length: 8 }, async (_, caller) => {
            for (let call = 0; !world.over; call++) {
                inUse[caller] = world.token;
                const { status, text } = await send(use(world.token, (caller + call) % 2));
                world.calls++;
                if (status !== 200) world.refused.push(text);
            }
        });
        let current = first.key_id;
        for (let round = 0; round < 10; round++) {
            const next = await expectOk(201, rotate(current, { overlap_seconds: 3_600 }));
            world.token = next.api_key;
            current = next.key_id;
            // The next rotation ends the key before this one.
            await until('all callers use the new key', () => inUse.every((token) => token === next.api_key));
        }
        world.over = true;
        await Promise.all(callers);
        assert.deepEqual(world.refused, []);
        assert.ok(world.calls > 20);
        await expectOk(200, revoke(current));
    });
});

describe('a rotation is refused', () => {
    for (const overlap of [-1, 2_592_001, 1.5, '60', true, [], 1e300]) {
        it(`with 400 for the overlap ${JSON.stringify(overlap)}`, async () => {
            const { key_id, api_key } = await newKey(account);
            const { body } = await expectError(400, rotate(key_id, { overlap_seconds: overlap }));
            assert.match(body.error, /^overlap_seconds /);
            await expectOk(200, use(api_key));
            await expectOk(200, revoke(key_id));
        });
    }

    it('with 404 for a key of another account, and 409 for a revoked one', async () => {
        const { key_id } = await newKey(account);
        await expectError(404, rotate(key_id, {}, await newAccount()));
        await expectError(404, rotate('x'));
        await expectOk(200, revoke(key_id));
        await expectError(409, rotate(key_id));
    });

    it('with 401 for an API key', async () => {
        const { key_id, api_key } = await newKey(account);
        await expectError(401, { ...rotate(key_id), token: api_key });
        await expectOk(200, revoke(key_id));
    });
});
