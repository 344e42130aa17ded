import assert from 'node:assert/strict';
import { type Call, expectOk } from '../../../e2e/support/client.ts';
import { afterwards, race, senderFrom, serialOrder, together } from '../../../e2e/support/races.ts';
import { usedKey } from '../../../e2e/support/usage.ts';
import { newAccount, newDid, newKey } from '../../../e2e/support/world.ts';

const owner = await newAccount();
const { did } = await newDid(owner.token);

race(
    'a key that is narrowed while it is used works up to one moment, and never after it',
    10,
    async (callers, dice) => {
        const account = await newAccount(); // the limit of its session is 600 calls a minute
        const { key_id, api_key } = await newKey(account);
        const path = `/v1/keys/${key_id}`;
        const use: Call = { path: `/v1/did/${did}`, token: api_key };
        const uses = Array.from({ length: callers - 1 }, () => use);
        const body = dice.pick([{ scopes: ['wallets:open'] }, { allowed_addresses: ['192.0.2.0/24'] }]);
        const narrow: Call = { method: 'PATCH', path, token: account.token, body };
        const sender = senderFrom(dice);
        if (dice.number(2)) await together([use, use], dice, sender);
        const made = await together([...uses, narrow, ...uses], dice, sender);

        const isWide = serialOrder(made, true, (wide, { call, answer }) => {
            if (call === narrow) return answer.status === 200 ? false : undefined;
            return answer.status === (wide ? 200 : 403) ? wide : undefined;
        });
        assert.equal(isWide, false);
        for (let again = 0; again < 4; again++) assert.equal((await afterwards(use, dice, sender)).answer.status, 403);
        await expectOk(200, { ...narrow, body: { scopes: null, allowed_addresses: null } });
        for (let again = 0; again < 4; again++) assert.equal((await afterwards(use, dice, sender)).answer.status, 200);
    },
);

race('every call of a key is counted while its restrictions change to and fro', 10, async (callers, dice) => {
    const account = await newAccount();
    const { key_id, api_key } = await newKey(account);
    const path = `/v1/keys/${key_id}`;
    const use: Call = { path: `/v1/did/${did}`, token: api_key };
    const uses = Array.from({ length: 2 * callers }, () => use);
    const changes = Array.from({ length: 5 }, (_, at): Call => {
        const body = { scopes: at % 2 ? ['dids:read', 'wallets:open'] : ['dids:*'] };
        return { method: 'PATCH', path, token: account.token, body };
    });
    const made = await together([...uses, ...changes], dice);
    assert.deepEqual(
        made.filter(({ answer }) => answer.status !== 200).map(({ answer }) => answer.text),
        [],
    );
    await usedKey(account, key_id, uses.length);
});

race('a key that is narrowed and revoked at once stays revoked', 10, async (callers, dice) => {
    const account = await newAccount();
    const { key_id, api_key } = await newKey(account);
    const path = `/v1/keys/${key_id}`;
    const use: Call = { path: `/v1/did/${did}`, token: api_key };
    const uses = Array.from({ length: callers }, () => use);
    const revoke: Call = { method: 'DELETE', path, token: account.token };
    const change = (): Call => ({ method: 'PATCH', path, token: account.token, body: { scopes: ['dids:read'] } });
    const sender = senderFrom(dice);
    const made = await together([...uses, change(), revoke, change()], dice, sender);
    const alive = serialOrder(made, true, (isAlive, { call, answer }) => {
        if (call === revoke) return answer.status === 200 ? false : undefined;
        if (call.method === 'PATCH') return answer.status === 200 ? isAlive : undefined;
        return answer.status === (isAlive ? 200 : 401) ? isAlive : undefined;
    });
    assert.equal(alive, false);
    for (let again = 0; again < 4; again++) assert.equal((await afterwards(use, dice, sender)).answer.status, 401);
});

race('a key is rotated once, however many ask, and both keys work', 10, async (callers, dice) => {
    const account = await newAccount();
    const { key_id, api_key } = await newKey(account);
    const use: Call = { path: `/v1/did/${did}`, token: api_key };
    const rotate: Call = { method: 'POST', path: `/v1/keys/${key_id}/rotate`, token: account.token, body: {} };
    const rotations = Array.from({ length: callers }, () => rotate);
    const made = await together([...rotations, use, use, use], dice);
    const won = made.filter(({ call, answer }) => call === rotate && answer.status === 201);
    assert.equal(won.length, 1);
    assert.ok(made.every(({ call, answer }) => (call === rotate ? [201, 409] : [200]).includes(answer.status)));
    const next = { ...use, token: won[0]?.answer.data.api_key };
    for (const call of [use, next, use, next]) assert.equal((await afterwards(call, dice)).answer.status, 200);
    const { total } = await expectOk(200, { path: '/v1/keys', token: account.token });
    assert.equal(total, 2);
});
