import assert from 'node:assert/strict';
import { type Call, expectOk } from '../../../e2e/support/client.ts';
import { type Dice, race, senderFrom, together } from '../../../e2e/support/races.ts';
import { newAccount, newKey } from '../../../e2e/support/world.ts';

const suspend = (userId: string): Call => ({
    method: 'POST',
    path: `/internal/v1/admin/users/${userId}/suspend`,
    internal: true,
});

/** Suspends an account while the calls run. Nothing that they were given may work afterwards. */
async function suspendAmong(userId: string, calls: Call[], dice: Dice): Promise<void> {
    const made = await together([...calls, suspend(userId), ...calls], dice);
    const tokens = made.flatMap(({ answer: { data } }) => [data?.token, data?.api_key, data?.key?.api_key]);
    const given = tokens.filter((token) => token !== undefined);
    const uses = [...given, ...calls.map(({ token }) => token)].flatMap((token) =>
        token === undefined ? [] : { path: '/v1/issuers', token },
    );
    const answers = await together(uses, dice, senderFrom(dice));
    for (const { answer } of answers) assert.equal(answer.status, 403, answer.text);
    assert.ok(made.some(({ call, answer }) => call.path.endsWith('/suspend') && answer.status === 200));
    // After a restoration they work, so it was the suspension that has refused them, on each gateway.
    await expectOk(200, { ...suspend(userId), path: `/internal/v1/admin/users/${userId}/restore` });
    const again = await together(uses, dice, senderFrom(dice));
    for (const { answer } of again) assert.notEqual(answer.status, 403, answer.text);
}

race('no session that is opened or refreshed during a suspension works after it', 10, async (callers, dice) => {
    const account = await newAccount();
    const { email, password, refresh_token, token } = account;
    const post = (path: string, body: object): Call => ({ method: 'POST', path, internal: true, body });
    const calls: Call[] = [{ path: '/v1/me', token }, post('/internal/v1/auth/refresh', { refresh_token })];
    const logins = Math.min(callers, 8); // each needs a password hash
    for (let at = 0; at < logins; at++) calls.push(post('/internal/v1/auth/login', { email, password }));
    await suspendAmong(account.user_id, calls, dice);
});

race('no key that is used, created or rotated during a suspension works after it', 10, async (callers, dice) => {
    const account = await newAccount();
    const { key_id, api_key } = await newKey(account);
    const post = (path: string, body: object): Call => ({ method: 'POST', path, token: account.token, body });
    const calls: Call[] = [post(`/v1/keys/${key_id}/rotate`, { overlap_seconds: 3_600 })];
    for (let at = 0; at < Math.min(callers, 8); at++) {
        calls.push(post('/v1/keys/generate', { name: 'key' }), { path: '/v1/issuers', token: api_key });
    }
    await suspendAmong(account.user_id, calls, dice);
});
