import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Call, INTERNAL_SECRET, send } from '../support/client.ts';
import { database } from '../support/database.ts';
import { login, newKey, register } from '../support/world.ts';

const password = `sesame ${randomUUID()}`;
const account = await register(password);
const session = { ...account, ...(await login(account)) };
const { api_key } = await newKey(session);
const mistyped = { password: `wrong ${randomUUID()}`, key: `${api_key.slice(0, -1)}~`, secret: randomUUID() };
const SECRETS = [password, api_key, session.token, session.refresh_token, INTERNAL_SECRET, ...Object.values(mistyped)];

function logs(): string {
    const files = globSync(`${process.env['E2E_LOG_DIR']}/${process.env['E2E_TRANSPORT']}-*.log`);
    assert.ok(files.length > 0);
    return files.map((file) => readFileSync(file, 'utf8')).join('');
}

it('the logs contain no password, key, token or secret, right or mistyped', async () => {
    const post = (path: string, body: unknown): Call => ({ method: 'POST', path: `/internal/v1/auth/${path}`, body });
    const calls: Call[] = [
        post('login', { email: account.email, password }),
        post('login', { email: account.email, password: mistyped.password }),
        post('login', `{"email":"${account.email}","password":"${password}"`),
        post(`login?password=${encodeURIComponent(password)}`, { email: account.email, password }),
        { ...post('register', { email: account.email, password }), internal: true },
        { ...post('register', { email: account.email, password }), headers: { 'X-Internal-Secret': mistyped.secret } },
        { ...post('refresh', { refresh_token: session.refresh_token }), internal: true },
        { path: '/v1/me', token: session.token },
        { path: '/v1/me', token: `${session.token}x` },
        { method: 'POST', path: '/v1/did', token: api_key },
        { method: 'POST', path: '/v1/did', token: mistyped.key },
        { path: `/v1/did/${api_key}?token=${session.token}`, token: api_key },
        { path: `/v1/keys/${api_key}`, token: session.token },
        { ...post('logout', { token: session.token }), internal: true },
    ];
    for (const call of calls) await send(call);
    const last = randomUUID();
    await send({ path: '/nothing', headers: { 'X-Request-Id': last } });
    for (const giveUp = performance.now() + 10_000; !logs().includes(last); await delay(20)) {
        assert.ok(performance.now() < giveUp, 'the last request is not in the logs after 10 s');
    }
    const written = logs();
    for (const secret of SECRETS) {
        assert.ok(!written.includes(secret), `${secret.slice(0, 12)}…`);
        assert.ok(!written.includes(encodeURIComponent(secret)));
    }
    assert.ok(!written.includes(session.token.split('.')[2] ?? ''));
});

it('the database contains no password, key or token', async () => {
    const keptNowhere = [password, api_key, session.token, session.refresh_token];
    const found = keptNowhere.map((_, index) => `strpos(t::text, $${index + 1}) > 0`).join(' OR ');
    for (const role of ['identity', 'keys', 'usage'] as const) {
        const db = await database(role);
        const { rows } = await db.query(
            `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
            WHERE table_schema = $1`,
            [role],
        );
        assert.ok(rows.length >= 2);
        for (const { name } of rows) {
            const { rowCount } = await db.query(`SELECT FROM ${name} t WHERE ${found}`, keptNowhere);
            assert.equal(rowCount, 0, name);
        }
    }
});
