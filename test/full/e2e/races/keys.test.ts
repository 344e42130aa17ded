import assert from 'node:assert/strict';
import { type Call, expectOk } from '../../../e2e/support/client.ts';
import { afterwards, race, serialOrder, together } from '../../../e2e/support/races.ts';
import { sendRaw } from '../../../e2e/support/raw.ts';
import { usedKey } from '../../../e2e/support/usage.ts';
import { newAccount, newDid, newKey } from '../../../e2e/support/world.ts';

/** Largest number of active keys of a free account. */
const LIMIT = 20;

/** Sends calls from the address `from`. Refused keys count against an address, so other tests use another one. */
const sendFrom = (from: string) => async (call: Call) => {
    const headers = [['Authorization', `Bearer ${call.token}`]] as const;
    const { status, text } = await sendRaw({ ...call, headers, body: '', from });
    return { status, text, data: JSON.parse(text).data };
};

race('a key that is used while it is revoked works up to one moment, and never after it', 10, async (callers, dice) => {
    const owner = await newAccount(); // the limit of its session is 600 calls a minute
    const { did } = await newDid(owner.token);
    const { key_id, api_key } = await newKey(owner);
    const path = `/v1/keys/${key_id}`;
    const revoke = { method: 'DELETE', path, token: owner.token };
    const use = { path: `/v1/did/${did}`, token: api_key };
    const uses = Array.from({ length: callers - 1 }, () => use);
    const sender = sendFrom(`127.${1 + dice.number(250)}.${dice.number(256)}.${1 + dice.number(250)}`);
    const made = await together([...uses, revoke, ...uses], dice, sender);

    const alive = serialOrder(made, true, (isAlive, { call, answer }) => {
        if (call === revoke) return answer.status === 200 ? false : undefined;
        return answer.status === (isAlive ? 200 : 401) ? isAlive : undefined;
    });
    assert.equal(alive, false);
    for (const gateway of [0, 1]) {
        assert.equal((await afterwards(use, dice, sender)).answer.status, 401);
        const { active } = await expectOk(200, { path, token: owner.token, gateway });
        assert.equal(active, false);
    }
    if (dice.number(4) > 0) return; // counts are late, so only some rounds wait for them
    await usedKey(owner, key_id, made.filter(({ call, answer }) => call === use && answer.status === 200).length);
});

race(
    'keys created and revoked at once never exceed the limit, and none is refused below it',
    10,
    async (callers, dice) => {
        const { token } = await newAccount();
        const generate: Call = { method: 'POST', path: '/v1/keys/generate', token, body: { name: 'key' } };
        const activeBefore = LIMIT - 1 - dice.number(5);
        const keys = await Promise.all(Array.from({ length: activeBefore }, () => expectOk(201, generate)));
        const revokes = keys
            .slice(0, Math.min(callers >> 1, 8))
            .map(({ key_id }) => ({ method: 'DELETE', path: `/v1/keys/${key_id}`, token }));
        const generates = Array.from({ length: callers }, () => generate);
        const made = await together([...generates, ...revokes], dice);

        const active = serialOrder(made, activeBefore, (count, { call, answer }) => {
            if (call !== generate) return answer.status === 200 ? count - 1 : undefined;
            if (answer.status === 403) return count === LIMIT ? count : undefined;
            return answer.status === 201 && count < LIMIT ? count + 1 : undefined;
        });
        const list = await expectOk(200, { path: '/v1/keys', token, gateway: 1 });
        assert.equal(list.keys.filter((key: { active: boolean }) => key.active).length, active);
        const { stats } = await expectOk(200, { path: '/v1/me', token });
        assert.equal(stats.api_keys_active, active);
    },
);
