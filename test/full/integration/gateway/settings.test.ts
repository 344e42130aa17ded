import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../../../e2e/support/slowness.ts';
import { startService } from '../../../support/service.ts';

const setting = (name: string): string => process.env[name] ?? assert.fail(`${name}: run this by "npm test -- <file>"`);
const PREVIOUS_SECRET = 'the secret that is on its way out';
const ANONYMOUS_LIMIT = 30;
const WINDOW_MS = 3_000;
const UNKNOWN_DID = '/v1/did/did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';

/** A service with live keys, behind a proxy, with small quotas and a low limit for calls without a credential. */
const logDir = mkdtempSync(join(tmpdir(), 'settings-log-'));
const service = await startService({
    transport: 'local',
    gateways: 1,
    adminUrl: setting('TEST_ADMIN_URL'),
    databaseUrl: setting('TEST_DATABASE_URL'),
    redisUrl: setting('TEST_REDIS_URL'),
    logDir,
    settings: {
        KEY_ENVIRONMENT: 'live',
        TRUST_PROXY: '1',
        KEEP_ALIVE_SECONDS: '77',
        ANONYMOUS_LIMIT: String(ANONYMOUS_LIMIT),
        RATE_WINDOW_SECONDS: String(WINDOW_MS / 1_000),
        INTERNAL_SECRET_PREVIOUS: PREVIOUS_SECRET,
        KEY_LIMIT_FREE: '3',
        QUOTA_DIDS: 'free=2',
        QUOTA_WALLETS: 'free=1',
    },
});
after(async () => {
    await service.stop();
    rmSync(logDir, { recursive: true, force: true });
});
Object.assign(process.env, service.env); // before the client of the end-to-end tests is loaded
const { expectError, expectOk, send } = await import('../../../e2e/support/client.ts');
const { login, newAccount, newEmail, register } = await import('../../../e2e/support/world.ts');

/** The header with which the proxy forwards a call of this client. */
const behindProxy = (client: string) => ({ 'X-Forwarded-For': client });
const newClient = (): string => `203.0.${randomInt(256)}.${randomInt(1, 255)}`;
/** A test whose checks must happen within one rate-limit window. */
function itLimits(name: string, check: () => Promise<void>): void {
    it(name, () => within(WINDOW_MS, check));
}
const generate = (token: string, tier?: string) => ({
    method: 'POST',
    path: '/v1/keys/generate',
    token,
    body: { name: 'key', tier },
});
const number = ({ headers }: { headers: Headers }, name: string): number => Number(headers.get(name));

describe('live keys', () => {
    it('contain the word live, and may not have a higher tier than their account', async () => {
        const { token } = await newAccount();
        const { api_key } = await expectOk(201, generate(token));
        assert.match(api_key, /^cred_live_[0-9A-Za-z]{32}$/);
        for (const tier of ['basic', 'pro', 'enterprise']) {
            assert.match((await expectError(403, generate(token, tier))).body.error, /tier.*free/);
        }
        await expectError(400, generate(token, 'gold'));
        const { keys } = await expectOk(200, { path: '/v1/keys', token });
        assert.equal(keys.length, 1);
    });

    it('may have every tier up to that of their account', async () => {
        const user = { email: newEmail(), password: 'correct horse', tier: 'pro' };
        const batch = {
            method: 'POST',
            path: '/internal/v1/admin/users/batch',
            internal: true,
            body: { users: [user] },
        };
        await expectOk(200, batch);
        const { token } = await login(user);
        for (const tier of ['free', 'basic', 'pro']) await expectOk(201, generate(token, tier));
        assert.equal((await expectOk(201, generate(token))).tier, 'pro');
        await expectError(403, generate(token, 'enterprise'));
    });

    it('are limited in number by the setting', async () => {
        const { token } = await newAccount();
        for (let made = 0; made < 3; made++) await expectOk(201, generate(token));
        await expectError(403, generate(token));
    });
});

describe('quotas', () => {
    it('refuse a call beyond them with 403, name the quota in the error, and are shown to the account', async () => {
        const { token } = await newAccount();
        const did = { method: 'POST', path: '/v1/did', token, body: {} };
        for (let made = 0; made < 2; made++) await expectOk(201, did);
        const { body: refusal } = await expectError(403, did);
        assert.equal(refusal.error, 'The account has reached its quota of 2 DIDs.');
        const wallet = { method: 'POST', path: '/v1/wallets', token, body: { name: 'w', password: 'open sesame' } };
        await expectOk(201, wallet);
        assert.match((await expectError(403, wallet)).body.error, /quota of 1 wallets/);
        const { quotas } = await expectOk(200, { path: '/v1/me/quotas', token });
        assert.deepEqual(quotas.dids, { used: 2, quota: 2 });
        assert.deepEqual(quotas.wallets, { used: 1, quota: 1 });
    });
});

it('the current and the previous internal secret are both accepted, and no combination of them', async () => {
    const body = () => ({ email: newEmail(), password: 'correct horse' });
    const call = { method: 'POST', path: '/internal/v1/auth/register' };
    await expectOk(201, { ...call, internal: true, body: body() });
    await expectOk(201, { ...call, headers: { 'X-Internal-Secret': PREVIOUS_SECRET }, body: body() });
    const both = `${PREVIOUS_SECRET}${service.env['E2E_INTERNAL_SECRET']}`;
    await expectError(401, { ...call, headers: { 'X-Internal-Secret': both }, body: body() });
});

describe('an address that has used up its calls without a credential', () => {
    /** Uses up the window of a new address. */
    async function useUp(headers: Record<string, string>): Promise<void> {
        for (let status = 401; status !== 429; ) {
            const answers = await Promise.all(
                Array.from({ length: ANONYMOUS_LIMIT }, () => send({ path: '/v1/me', token: 'x', headers })),
            );
            status = Math.max(...answers.map((answer) => answer.status));
        }
    }

    itLimits('gets 429 instead of 401, and callers with a credential are still served from it', async () => {
        const { token, email, password } = await newAccount();
        const headers = behindProxy(newClient());
        await useUp(headers);
        const refused = await expectError(429, { path: '/v1/me', headers });
        assert.match(refused.body.error, /^Limit of 30 requests per 3 seconds exceeded\. Try again in [123] second/);
        await expectError(429, { path: '/internal/v1/auth/me', headers });
        const body = { email, password };
        await expectError(429, { method: 'POST', path: '/internal/v1/auth/login', headers, body });
        await expectOk(200, { path: '/v1/me', token, headers });
        await expectOk(200, { path: '/internal/v1/auth/me', internal: true, token, headers });
        await expectOk(200, { method: 'POST', path: '/internal/v1/auth/login', internal: true, headers, body });
        assert.equal((await send({ path: '/internal/health', headers })).status, 200);
    });

    itLimits('is taken from the entry that the proxy added, whatever entries the client sent before it', async () => {
        const client = newClient();
        await useUp(behindProxy(client));
        await expectError(429, { path: '/v1/me', headers: behindProxy(`198.51.100.1, ${client}`) });
        await expectError(401, { path: '/v1/me', headers: behindProxy(`${client}, 198.51.100.2`) });
        await expectError(401, { path: '/v1/me', headers: behindProxy('nonsense') });
        await expectError(401, { path: '/v1/me' });
    });
});

it('the setting says how long a connection stays open without a request', async () => {
    const { headers } = await send({ path: '/internal/health' });
    assert.equal(headers.get('keep-alive'), 'timeout=77');
});

it('a key is bound to the address that the proxy has seen, with its port or without, and to no unreadable one', async () => {
    const { token } = await newAccount();
    const keyFor = async (network: string): Promise<string> => {
        const body = { name: 'key', allowed_addresses: [network] };
        return (await expectOk(201, { ...generate(token), body })).api_key;
    };
    const [client, proxy] = [await keyFor('203.0.113.0/24'), await keyFor('127.0.0.0/8')];
    const call = (key: string, from: string) => ({ path: UNKNOWN_DID, token: key, headers: behindProxy(from) });
    for (const from of ['203.0.113.7', '203.0.113.7:4711']) {
        await expectError(404, call(client, from));
        await expectError(403, call(proxy, from));
    }
    for (const from of ['unknown', '203.0.113.7:', '']) {
        await expectError(403, call(client, from));
        await expectError(403, call(proxy, from));
    }
    await expectError(404, { path: UNKNOWN_DID, token: proxy });
});

itLimits('a rate-limit window is followed by another full one, and X-RateLimit-Reset only grows', async () => {
    const { token } = await newAccount();
    const { api_key } = await expectOk(201, generate(token));
    const use = () => send({ path: UNKNOWN_DID, token: api_key }); // counts as a call, and stores nothing
    let reset = 0;
    for (let window = 0; window < 2; window++) {
        const giveUp = performance.now() + 10_000;
        let answer = await use();
        for (; answer.status === 429; answer = await use()) {
            assert.ok(performance.now() < giveUp, 'refused calls have extended the window');
            await delay(100);
        }
        assert.equal(number(answer, 'x-ratelimit-remaining'), 9, 'the first call of a window');
        assert.ok(number(answer, 'x-ratelimit-reset') > reset);
        reset = number(answer, 'x-ratelimit-reset');
        const others = await Promise.all(Array.from({ length: 20 }, use));
        assert.equal(
            others.filter(({ status }) => status === 404).length,
            9,
            others.map(({ status }) => status).join(),
        );
        assert.ok(others.every((other) => number(other, 'x-ratelimit-reset') === reset));
    }
});

itLimits('wrong passwords from behind the proxy are counted by the address of the client', async () => {
    const [guessing, other] = [newClient(), newClient()];
    const { email, password } = await register();
    const attempt = (text: string, client: string) => ({
        method: 'POST',
        path: '/internal/v1/auth/login',
        headers: behindProxy(client),
        body: { email, password: text },
    });
    for (let guess = 0; guess < 10; guess++) await expectError(401, attempt('wrong', guessing));
    await expectError(429, attempt(password, guessing));
    await expectOk(200, attempt(password, other));
});
