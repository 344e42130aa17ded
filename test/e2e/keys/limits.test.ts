import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { makeApiKey } from '../../../platform/access/api-key.ts';
import { RATE_LIMITS, TIERS } from '../../../proto/tiers.ts';
import { type Answer, type Call, expectError, expectOk, PROCESSES, send } from '../support/client.ts';
import { database } from '../support/database.ts';
import { sendRaw } from '../support/raw.ts';
import { within } from '../support/slowness.ts';
import { usedKey } from '../support/usage.ts';
import { login, newAccount, newKey } from '../support/world.ts';

const db = await database('identity');
const use = (token: string, gateway = 0): Call => ({ method: 'POST', path: '/v1/did', token, gateway });
const number = (answer: Answer, name: string): number => Number(answer.headers.get(name));
const ownAddress = (): string => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
const seconds = (): number => Date.now() / 1_000;
const FREE = RATE_LIMITS.free;

/** Length of the rate limit window, in milliseconds. */
const WINDOW_MS = 60_000;
/** Calls sent at once. A gateway under other load may shed some of a larger number. */
const WAVE = 200;

/** Sends `times` calls, on both gateways in turn, and WAVE of them at a time. */
async function atOnce(times: number, call: (gateway: number) => Call): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let sent = 0; sent < times; sent += WAVE) {
        const wave = Array.from({ length: Math.min(WAVE, times - sent) }, (_, index) => send(call(index % 2)));
        answers.push(...(await Promise.all(wave)));
    }
    return answers;
}

describe('a free key', () => {
    it('gets exactly its limit of many calls at once on two gateways, with all values of Remaining and one Reset', async () => {
        const { api_key } = await newKey(await newAccount(), 'free');
        const answers = await atOnce(FREE + 50, (gateway) => use(api_key, gateway));
        const admitted = answers.filter(({ status }) => status === 201);
        const refused = answers.filter(({ status }) => status === 429);
        assert.deepEqual([admitted.length, refused.length], [FREE, 50]);
        const remaining = admitted.map((answer) => number(answer, 'x-ratelimit-remaining'));
        assert.deepEqual(new Set(remaining), new Set(Array(FREE).keys()));
        assert.ok(refused.every((answer) => number(answer, 'x-ratelimit-remaining') === 0));
        assert.ok(answers.every((answer) => number(answer, 'x-ratelimit-limit') === FREE));
        assert.equal(new Set(answers.map((answer) => number(answer, 'x-ratelimit-reset'))).size, 1);
    });

    it('is told the limit and the wait when it exceeds the limit, and the wait does not grow', async () => {
        const { api_key } = await newKey(await newAccount(), 'free');
        const began = seconds();
        const first = await send(use(api_key));
        const reset = number(first, 'x-ratelimit-reset');
        assert.ok(reset >= began + 59 && reset <= seconds() + 61, 'the window ends a minute after the first call');
        for (let call = 1; call < FREE; call++) await expectOk(201, use(api_key, call % 2));
        for (let call = 0; call < 10; call++) {
            const answer = await expectError(429, use(api_key, call % 2));
            const wait = number(answer, 'retry-after');
            assert.ok(wait >= 1 && wait <= 60);
            const told = new RegExp(
                `^Limit of ${FREE} requests per minute exceeded. Try again in ${wait} seconds?\\.$`,
            );
            assert.match(answer.body.error, told);
            assert.match(answer.body.message, /rate limit/i);
            assert.equal(answer.headers.get('x-error-code'), 'rate_limited');
            assert.equal(number(answer, 'x-ratelimit-reset'), reset);
            assert.ok(Math.abs(seconds() + wait - reset) <= 2, 'the wait ends with the window');
        }
    });

    it('counts calls that are refused after the limit was checked, and none that are refused before', async () => {
        const owner = await newAccount();
        const { api_key, key_id } = await newKey(owner, 'free');
        const left = async () => number(await send(use(api_key)), 'x-ratelimit-remaining');
        assert.equal(await left(), FREE - 1);
        await expectError(401, { path: '/v1/keys', token: api_key });
        await expectError(404, { path: '/v1/nothing', token: api_key });
        await expectError(405, { method: 'PUT', path: '/v1/did', token: api_key });
        await expectError(404, { path: '/v1/did/', token: api_key });
        assert.equal(await left(), FREE - 2);
        await expectError(400, { ...use(api_key), body: '{not json' });
        await expectError(400, { ...use(api_key), body: { public_key: 'x' } });
        await expectError(400, { path: '/v1/did/did:web:x', token: api_key });
        assert.equal(await left(), FREE - 6);
        // Above the limit the body is not read.
        for (let call = 6; call < FREE; call++) await expectOk(201, use(api_key));
        await expectError(429, { ...use(api_key), body: '{not json' });
        const { usage } = await usedKey(owner, key_id, FREE);
        assert.deepEqual(usage, { requests_today: FREE, requests_this_month: FREE });
    });

    it('shares its limit with no other key and no session of its account', async () => {
        const owner = await newAccount();
        const [one, other] = [await newKey(owner, 'free'), await newKey(owner, 'free')];
        for (let call = 0; call < FREE; call++) await expectOk(201, use(one.api_key));
        await expectError(429, use(one.api_key, 1));
        assert.equal(number(await send(use(other.api_key)), 'x-ratelimit-remaining'), FREE - 1);
        await expectOk(201, use(owner.token));
    });
});

describe('the limit of', () => {
    for (const tier of TIERS) {
        const limit = RATE_LIMITS[tier];
        it(`a ${tier} key is ${limit} a minute`, async () => {
            const { api_key } = await newKey(await newAccount(), tier);
            const answer = await send(use(api_key));
            assert.equal(number(answer, 'x-ratelimit-limit'), limit);
            assert.equal(number(answer, 'x-ratelimit-remaining'), limit - 1);
            assert.equal(answer.headers.get('ratelimit-policy'), `"default";q=${limit};w=60`);
        });
        it(`the sessions of a ${tier} account is ${Math.max(limit, 600)} a minute`, async () => {
            const owner = await newAccount();
            await db.query('UPDATE identity.users SET tier = $1 WHERE user_id = $2', [tier, owner.user_id]);
            const answer = await send({ path: '/v1/me', token: owner.token });
            assert.equal(number(answer, 'x-ratelimit-limit'), Math.max(limit, 600));
        });
    }

    it(`a basic key admits exactly ${RATE_LIMITS.basic} of 50 calls more`, async () => {
        const { api_key } = await newKey(await newAccount(), 'basic');
        const answers = await atOnce(RATE_LIMITS.basic + 50, (gateway) => ({
            path: '/v1/did/did:web:x',
            token: api_key,
            gateway,
        }));
        assert.equal(answers.filter(({ status }) => status === 429).length, 50);
    });

    it('a user is shared by all sessions and gateways: 600 of 640 calls', () =>
        within(WINDOW_MS, async () => {
            const owner = await newAccount();
            const tokens = [owner.token, (await login(owner)).token];
            const answers = await atOnce(640, (gateway) => ({ path: '/v1/keys/x', token: tokens[gateway], gateway }));
            const remaining = answers.map((answer) => number(answer, 'x-ratelimit-remaining'));
            assert.equal(answers.filter(({ status }) => status === 404).length, 600);
            assert.equal(new Set(remaining).size, 600);
            const refused = await expectError(429, { path: '/v1/me', token: (await login(owner)).token });
            assert.match(
                refused.body.error,
                /^Limit of 600 requests per minute exceeded\. Try again in \d+ seconds?\.$/,
            );
        }));
});

describe('every answer has the headers of the rate limit:', () => {
    const calls: Array<[number, Call]> = [
        [401, { path: '/v1/me' }],
        [401, { path: '/v1/me', token: 'nonsense' }],
        [404, { path: '/nothing' }],
        [404, { path: '/' }],
        [405, { method: 'DELETE', path: '/v1/did' }],
        [401, { path: '/internal/v1/auth/me' }],
        [401, { path: '/internal/v1/auth/me', internal: true }],
        [200, { path: '/internal/health' }],
        [400, { method: 'POST', path: '/internal/v1/auth/login', body: '{' }],
        [413, { method: 'POST', path: '/internal/v1/auth/login', body: 'x'.repeat(2 << 20) }],
        [400, { method: 'POST', path: '/internal/v1/auth/register', internal: true, body: {} }],
    ];
    for (const [status, call] of calls) {
        it(`${status} to ${call.method ?? 'GET'} ${call.path}`, async () => {
            const answer = await send(call);
            assert.equal(answer.status, status);
            assert.ok(number(answer, 'x-ratelimit-limit') >= 60_000);
            assert.ok(number(answer, 'x-ratelimit-remaining') > 0);
            const reset = number(answer, 'x-ratelimit-reset');
            assert.ok(reset >= Math.floor(seconds()) - 1 && reset <= seconds() + 61);
        });
    }
});

describe('look-ups of unknown keys', () => {
    const skip = process.env['E2E_ONE_ADDRESS'] ? 'the service under test sees only one client address' : false;
    it('are limited to 600 a minute for the real address of the client, and known keys are not affected', {
        skip,
    }, async () => {
        const [from, elsewhere] = [ownAddress(), ownAddress()];
        const account = await newAccount();
        const [{ api_key }, unused, revoked] = [await newKey(account), await newKey(account), await newKey(account)];
        const headersOf = (key: string) => [
            ['Authorization', `Bearer ${key}`] as const,
            ['X-Forwarded-For', `203.0.113.${randomInt(255)}`] as const,
        ];
        const format = { brand: api_key.split('_')[0] ?? '', environment: 'test' } as const;
        const tryUnknown = (address: string, gateway: number) =>
            sendRaw({ path: '/v1/did/x', headers: headersOf(makeApiKey(format).api_key), from: address, gateway });
        const tryKey = (key: string, address: string, gateway: number) =>
            sendRaw({ path: '/v1/did/x', headers: headersOf(key), from: address, gateway });
        /** Uses a key until every process has served it: the kernel picks one for each connection. */
        const useEverywhere = async (key: string): Promise<void> => {
            const times = PROCESSES === 1 ? 1 : 16 * PROCESSES;
            for (let use = 0; use < 2 * times; use++) {
                assert.equal((await tryKey(key, elsewhere, use % 2)).status, 400);
            }
        };
        await useEverywhere(api_key);
        const statuses = new Map<number, number>();
        for (let round = 0; round < 31; round++) {
            const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => tryUnknown(from, at % 2)));
            for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
        assert.deepEqual(Object.fromEntries(statuses), { 401: 600, 429: 20 });
        const refused = await tryUnknown(from, 0);
        const told = /^Limit of 600 requests per minute exceeded\. Try again in \d+ sec/;
        assert.match(JSON.parse(refused.text).error, told);
        assert.ok(Number(refused.headers['retry-after']) >= 1);
        assert.equal((await tryUnknown(elsewhere, 0)).status, 401);
        // A gateway knows the keys that it has served.
        for (const gateway of [0, 1]) assert.equal((await tryKey(api_key, from, gateway)).status, 400);
        assert.equal((await tryKey(unused.api_key, from, 0)).status, 429);
        await useEverywhere(unused.api_key);
        assert.equal((await tryKey(unused.api_key, from, 0)).status, 400);
        assert.equal((await tryKey(`${api_key.slice(0, -1)}~`, from, 0)).status, 401);
        // One that was looked up and can never be active again is no guess, however often it is used.
        await expectOk(200, { method: 'DELETE', path: `/v1/keys/${revoked.key_id}`, token: account.token });
        const third = ownAddress();
        const refusals = await Promise.all(Array.from({ length: 5 }, () => tryKey(revoked.api_key, third, 0)));
        assert.deepEqual(new Set(refusals.map(({ status }) => status)), new Set([401]));
    });
});
