import assert from 'node:assert/strict';
import { it } from 'node:test';
import { expectOk, send } from '../support/client.ts';
import { sendRaw } from '../support/raw.ts';
import { newAccount, newDid, newEmail } from '../support/world.ts';

const PASSWORD = 'correct horse battery';

it('each of 500 logins at once gets its result, 429 or 503, and other calls are served meanwhile', async () => {
    const users = Array.from({ length: 50 }, () => ({ email: newEmail(), password: PASSWORD }));
    await expectOk(200, { method: 'POST', path: '/internal/v1/admin/users/batch', internal: true, body: { users } });
    const { token } = await newAccount();

    const logins = Array.from({ length: 500 }, (_, index) => {
        const { email } = users[index % users.length] as (typeof users)[number]; // the index is in range
        const isRight = index % 5 > 0;
        const body = JSON.stringify({ email, password: isRight ? PASSWORD : 'a wrong one' });
        const headers = [['Content-Type', 'application/json']] as const;
        const call = { method: 'POST', path: '/internal/v1/auth/login', headers, body, gateway: index % 2 };
        return sendRaw(call).then((answer) => ({ answer, isRight }));
    });
    const others = Array.from({ length: 20 }, () => newDid(token));
    for (const { answer, isRight } of await Promise.all(logins)) {
        const { status, headers, text } = answer;
        assert.ok([isRight ? 200 : 401, 429, 503].includes(status), `${status}: ${text}`);
        assert.equal(JSON.parse(text).status, status === 200 ? 'success' : 'error');
        if (status >= 429) assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/);
    }
    await Promise.all(others);
    assert.equal((await send({ path: '/internal/health' })).status, 200);
});
