import assert from 'node:assert/strict';
import { type Call, expectError, expectOk, send } from '../../../e2e/support/client.ts';
import { type Dice, type Made, patiently, race, serialOrder, together } from '../../../e2e/support/races.ts';
import { newAccount, newEmail, register } from '../../../e2e/support/world.ts';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'another horse battery';

const movers = await Promise.all(Array.from({ length: 25 }, newAccount));

const registration = (email: string): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/register',
    internal: true,
    body: { email, password: PASSWORD },
});
const move = (token: string, email: string): Call => ({ method: 'PATCH', path: '/v1/me', token, body: { email } });

/** A login from a random client address, so that a wrong password does not slow other logins. */
const login = (email: string, password: string, dice: Dice): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/login',
    internal: true,
    headers: { 'X-Client-Address': `10.${dice.number(256)}.${dice.number(256)}.${dice.number(256)}` },
    body: { email, password },
});

const ownerOf = async (email: string, dice: Dice): Promise<string> =>
    (await expectOk(200, login(email, PASSWORD, dice))).user_id;

race('a free address that registrations and changes request at once goes to one account', 10, async (callers, dice) => {
    const email = newEmail();
    const moves = movers.slice(0, callers >> 1).map(({ token }) => move(token, email));
    const registrations = Array.from({ length: Math.ceil(callers / 2) }, () => registration(email));
    const made = await together([...moves, ...registrations], dice);

    const winner = serialOrder(made, '', (owner, { answer }) => {
        if (answer.status === 409) return owner !== '' ? owner : undefined;
        return answer.status < 300 && owner === '' ? (answer.data.user_id as string) : undefined;
    });
    assert.equal(await ownerOf(email, dice), winner);
    for (const [at, { answer }] of made.slice(0, moves.length).entries()) {
        const { token, user_id } = movers[at] as (typeof movers)[number]; // one for each move
        const { email: now } = await expectOk(200, { path: '/v1/me', token, gateway: 1 });
        assert.equal(now === email, user_id === winner);
        if (answer.status === 200) assert.equal(now, email);
    }
});

race('an address that its account gives up is free from that moment, for one account', 10, async (callers, dice) => {
    const email = newEmail();
    const { token, user_id } = await newAccount();
    await expectOk(200, move(token, email));
    const leave = move(token, newEmail());
    const made = await together([leave, ...Array.from({ length: callers - 1 }, () => registration(email))], dice);

    const owner = serialOrder(made, user_id, (current, { call, answer }) => {
        if (call === leave) return answer.status === 200 && current === user_id ? '' : undefined;
        if (answer.status === 409) return current !== '' ? current : undefined;
        return answer.status === 201 && current === '' ? (answer.data.user_id as string) : undefined;
    });
    if (owner === '') await expectOk(201, registration(email));
    else assert.equal(await ownerOf(email, dice), owner);
});

race('batches of the same accounts at once create each account once', 6, async (callers, dice) => {
    const emails = Array.from({ length: 8 }, newEmail);
    const batch = (): Call => {
        const users = emails.filter(() => dice.number(4) > 0).map((email) => ({ email, password: PASSWORD }));
        return {
            method: 'POST',
            path: '/internal/v1/admin/users/batch',
            internal: true,
            body: { users },
        };
    };
    const made = await together(
        Array.from({ length: callers }, batch).filter(({ body }) => (body as { users: unknown[] }).users.length > 0),
        dice,
        patiently,
    );
    const created = made.flatMap(({ answer }) => {
        assert.equal(answer.status, 200, answer.text);
        return answer.data.created as Array<{ user_id: string; email: string }>;
    });
    assert.equal(new Set(created.map(({ email }) => email)).size, created.length);
    const asked = new Set(
        made.flatMap(({ call }) => (call.body as { users: Array<{ email: string }> }).users.map(({ email }) => email)),
    );
    assert.deepEqual(new Set(created.map(({ email }) => email)), asked);
    for (const { user_id, email } of created) assert.equal(await ownerOf(email, dice), user_id);
    for (const { call, answer } of made) {
        const { users } = call.body as { users: unknown[] };
        assert.equal(answer.data.created.length + answer.data.failed.length, users.length);
    }
});

race('a change of the password ends all racing logins with the old password', 6, async (callers, dice) => {
    const account = await register(PASSWORD);
    const { token } = await expectOk(200, login(account.email, PASSWORD, dice));
    const change: Call = {
        method: 'POST',
        path: '/v1/me/password',
        token,
        body: { current_password: PASSWORD, new_password: NEW_PASSWORD },
    };
    const withOld = Array.from({ length: callers - 1 }, () => login(account.email, PASSWORD, dice));
    const withNew = Array.from({ length: callers >> 1 }, () => login(account.email, NEW_PASSWORD, dice));
    const made = await together([...withOld, change, ...withNew], dice);

    const passwordOf = ({ call }: Made) => (call.body as { password: string }).password;
    const last = serialOrder(made, PASSWORD, (current, one) => {
        if (one.call === change) return one.answer.status === 200 ? NEW_PASSWORD : undefined;
        return one.answer.status === (passwordOf(one) === current ? 200 : 401) ? current : undefined;
    });
    assert.equal(last, NEW_PASSWORD);
    for (const one of made.filter(({ call, answer }) => call !== change && answer.status === 200)) {
        const alive = passwordOf(one) === NEW_PASSWORD;
        for (const gateway of [0, 1]) {
            const { status } = await send({ path: '/v1/me', token: one.answer.data.token, gateway });
            assert.equal(status, alive ? 200 : 401);
        }
    }
    await expectOk(200, { path: '/v1/me', token });
    await expectError(401, login(account.email, PASSWORD, dice));
    await expectOk(200, login(account.email, NEW_PASSWORD, dice));
});
