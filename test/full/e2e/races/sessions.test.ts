import assert from 'node:assert/strict';
import { type Call, send } from '../../../e2e/support/client.ts';
import { type Made, race, serialOrder, together } from '../../../e2e/support/races.ts';
import { login, register } from '../../../e2e/support/world.ts';

const refresh = (refreshToken: string): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/refresh',
    internal: true,
    body: { refresh_token: refreshToken },
});
const logout = (token: string): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/logout',
    internal: true,
    body: { token },
});

const account = await register();

const statuses = async (call: Call): Promise<number[]> =>
    Promise.all([0, 1].map(async (gateway) => (await send({ ...call, gateway })).status));

const hasWon = ({ call, answer }: Made) => call.path.endsWith('/refresh') && answer.status === 200;

race(
    'exactly one of many refreshes with one token succeeds, and its session stays valid',
    10,
    async (callers, dice) => {
        const { refresh_token } = await login(account);
        const made = await together(
            Array.from({ length: callers }, () => refresh(refresh_token)),
            dice,
        );
        serialOrder(made, 'unused', (state, { answer }) => {
            if (answer.status === 401) return state === 'spent' ? state : undefined;
            return answer.status === 200 && state === 'unused' ? 'spent' : undefined;
        });
        const winner = made.find(hasWon)?.answer.data;
        assert.ok(winner);
        assert.deepEqual(await statuses({ path: '/v1/me', token: winner.token }), [200, 200]);
        assert.equal((await send(refresh(winner.refresh_token))).status, 200);
    },
);

race('a logout among refreshes revokes all tokens that they have issued', 10, async (callers, dice) => {
    const { token, refresh_token } = await login(account);
    const ends = Array.from({ length: Math.ceil(callers / 5) }, () => logout(dice.pick([token, refresh_token])));
    const refreshes = Array.from({ length: callers }, () => refresh(refresh_token));
    const made = await together([...refreshes, ...ends], dice);

    const end = serialOrder(made, 'unused', (state, { call, answer }) => {
        if (call.path.endsWith('/logout')) return answer.status === 200 ? 'ended' : undefined;
        if (answer.status === 401) return state !== 'unused' ? state : undefined;
        return answer.status === 200 && state === 'unused' ? 'spent' : undefined;
    });
    assert.equal(end, 'ended');
    const times = made
        .filter(({ call }) => call.path.endsWith('/logout'))
        .map(({ answer }) => answer.data.logged_out_at);
    assert.equal(new Set(times).size, 1);
    const pairs = [{ token, refresh_token }, ...made.filter(hasWon).map(({ answer }) => answer.data)];
    for (const pair of pairs) {
        assert.deepEqual(await statuses({ path: '/v1/me', token: pair.token }), [401, 401]);
        assert.deepEqual(await statuses(refresh(pair.refresh_token)), [401, 401]);
    }
});
