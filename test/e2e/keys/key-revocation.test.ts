import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { type Account, newAccount, newKey } from '../support/world.ts';

const account = await newAccount();
const get = ({ token }: Account, keyId: string): Call => ({ path: `/v1/keys/${keyId}`, token, gateway: 1 });
const revoke = ({ token }: Account, keyId: string, gateway = 0): Call => ({
    method: 'DELETE',
    path: `/v1/keys/${keyId}`,
    token,
    gateway,
});
const use = (token: string, gateway = 0): Call => ({ method: 'POST', path: '/v1/did', token, gateway });
const activeKeys = async (): Promise<number> =>
    (await expectOk(200, { path: '/v1/me', token: account.token })).stats.api_keys_active;

describe('a revoked key', () => {
    it('is refused from the next call on, even by gateways that have cached its auth state', async () => {
        for (let round = 0; round < 10; round++) {
            const { key_id, api_key } = await newKey(account);
            for (const gateway of [0, 1, 0, 1]) await expectOk(201, use(api_key, gateway));
            await expectOk(200, revoke(account, key_id, round % 2));
            const order = round % 4 < 2 ? [1, 0] : [0, 1];
            for (const gateway of [...order, ...order]) await expectError(401, use(api_key, gateway));
        }
    });

    it('is refused for every call that starts after the revocation, while other calls are in flight', async () => {
        const { key_id, api_key } = await newKey(account);
        let revoked = false;
        const callers = [0, 1, 0, 1].map(async (gateway) => {
            for (;;) {
                const late = revoked;
                const { status } = await send(use(api_key, gateway));
                if (late) return status;
            }
        });
        await expectOk(200, revoke(account, key_id));
        revoked = true;
        assert.deepEqual(await Promise.all(callers), [401, 401, 401, 401]);
    });

    it('remains visible as inactive, and no longer counts as an active key', async () => {
        const { key_id } = await newKey(account);
        const before = await activeKeys();
        const { revoked_at, ...data } = await expectOk(200, revoke(account, key_id));
        assert.deepEqual(data, { key_id });
        assert.equal(new Date(revoked_at).toISOString(), revoked_at);
        assert.equal(await activeKeys(), before - 1);
        assert.equal((await expectOk(200, get(account, key_id))).active, false);
        const { keys, total } = await expectOk(200, { path: '/v1/keys', token: account.token });
        assert.equal(keys.find((key: { key_id: string }) => key.key_id === key_id).active, false);
        assert.equal(total, keys.length);
    });

    it('keeps its first revoked_at, even if fifty calls at once revoke it', async () => {
        const { key_id } = await newKey(account);
        const before = await activeKeys();
        const atOnce = await Promise.all(
            Array.from({ length: 50 }, (_, call) => expectOk(200, revoke(account, key_id, call % 2))),
        );
        const later = await expectOk(200, revoke(account, key_id));
        assert.equal(new Set([...atOnce, later].map(({ revoked_at }) => revoked_at)).size, 1);
        assert.equal(await activeKeys(), before - 1);
    });

    it('can be renamed, but not made active again', async () => {
        const { key_id, api_key } = await newKey(account);
        await expectOk(200, revoke(account, key_id));
        const body = { name: 'old', active: true, revoked_at: null };
        const path = `/v1/keys/${key_id}`;
        assert.equal((await expectOk(200, { method: 'PATCH', path, token: account.token, body })).name, 'old');
        const { active, name } = await expectOk(200, get(account, key_id));
        assert.deepEqual([active, name], [false, 'old']);
        await expectError(401, use(api_key));
    });

    it('does not affect other keys', async () => {
        const [one, other] = [await newKey(account), await newKey(account)];
        await expectOk(201, use(other.api_key));
        await expectOk(200, revoke(account, one.key_id));
        await expectOk(201, use(other.api_key));
        await expectOk(201, use(other.api_key, 1));
    });
});

describe('the limit of 20 active keys of a free account', () => {
    const generate = (owner: Account, gateway = 0): Call => ({
        method: 'POST',
        path: '/v1/keys/generate',
        token: owner.token,
        body: { name: 'key' },
        gateway,
    });

    it('holds for forty requests at once on both gateways', async () => {
        const owner = await newAccount();
        const answers = await Promise.all(Array.from({ length: 40 }, (_, call) => send(generate(owner, call % 2))));
        const count = (status: number) => answers.filter((answer) => answer.status === status).length;
        assert.deepEqual([count(201), count(403)], [20, 20]);
        const { keys, total } = await expectOk(200, { path: '/v1/keys', token: owner.token });
        assert.deepEqual([keys.length, total], [20, 20]);
        assert.match(answers.find(({ status }) => status === 403)?.body.error ?? '', /limit of 20/);
    });

    it('counts only active keys, so that a revoked key makes room for a new one', async () => {
        const owner = await newAccount();
        const keys = [];
        for (let made = 0; made < 20; made++) keys.push(await expectOk(201, generate(owner)));
        await expectError(403, generate(owner));
        for (let repeated = 0; repeated < 3; repeated++) await expectOk(200, revoke(owner, keys[0].key_id));
        await expectOk(201, generate(owner));
        await expectError(403, generate(owner, 1));
        await expectError(400, { ...generate(owner), body: { name: '' } });
    });
});

describe('the list of keys', () => {
    it('is complete and newest first, in one answer and in pages', async () => {
        const owner = await newAccount();
        const made = [];
        for (let count = 0; count < 5; count++) made.unshift((await newKey(owner)).key_id);
        const { keys, total } = await expectOk(200, { path: '/v1/keys', token: owner.token });
        const ids = (page: Array<{ key_id: string }>) => page.map(({ key_id }) => key_id);
        assert.deepEqual([ids(keys), total], [made, 5]);
        const paged = [];
        for (let path: string | undefined = '/v1/keys?limit=2'; path !== undefined; ) {
            const answer = await send({ path, token: owner.token });
            paged.push(...ids(answer.data.keys));
            assert.equal(answer.data.total, 5);
            path = /<(.*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
        }
        assert.deepEqual(paged, made);
    });
});
