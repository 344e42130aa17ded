import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '../../client/src/client.ts';
import { startRedis } from '../../deploy/local/databases/redis.ts';
import { until } from '../full/process/launch/launch.ts';
import { startService, type TestService } from '../support/service.ts';
import { assertExact, countOf, type HttpAnswer, metric, type Sent, sendToAll, windowsOf } from './limited.ts';

/** `npm run proof -- limits` runs all cases, `npm run test:full` a selection that takes seconds. */
const ALL = process.env['LIMITS'] === 'all';
const GATEWAYS = ALL ? [1, 3, 5] : [3];
const TIERS = [
    ['free', 10],
    ['basic', 100],
    ...(ALL ? ([['pro', 1_000]] as const) : []),
    ...(ALL ? ([['enterprise', 10_000]] as const) : []),
] as const;
const LOADS = ALL ? [0.9, 1, 1.1, 2, 10] : [0.9, 1, 2, 10];
/** Wrong passwords that the guard checks for an account: from one address without a wait, from all in a day. */
const [FREE, PER_DAY] = [10, 100];
/** Attempts of a run. If Redis does not answer a gateway in time, the run does not show what Redis decides. */
const ATTEMPTS = 10;

/** Gateways in processes of their own, and the Redis that they share. */
interface Bed {
    gateways: number;
    redis: Awaited<ReturnType<typeof startRedis>>;
    service: TestService;
    urls: string[];
    secret: string;
}

async function startBed(gateways: number, dir: string, closing: AsyncDisposableStack): Promise<Bed> {
    const setting = (name: string) => process.env[`TEST_${name}`] as string; // test/run.ts sets them
    const redis = await startRedis({ dataDir: dir, log: () => {} });
    closing.defer(() => redis.stop());
    const service = await startService({
        transport: 'local',
        gateways,
        adminUrl: setting('ADMIN_URL'),
        databaseUrl: setting('DATABASE_URL'),
        redisUrl: redis.url,
        logDir: dir,
    });
    closing.defer(() => service.stop());
    const { E2E_URLS = '', E2E_INTERNAL_SECRET: secret = '' } = service.env;
    return { gateways, redis, service, urls: E2E_URLS.split(','), secret };
}

const clientOf = ({ urls, secret }: Bed) => createClient({ base_url: urls[0] as string, internal_secret: secret });

async function newAccount(bed: Bed) {
    const account = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    await clientOf(bed).internal.auth.register(account);
    return account;
}

/** Makes calls with a new key of the tier. An admitted call gets 400, which is cheap and counts like any other. */
async function newCall(bed: Bed, tier: (typeof TIERS)[number][0]): Promise<() => Sent> {
    const { token } = await clientOf(bed).internal.auth.login(await newAccount(bed));
    const { api_key } = await clientOf(bed).as({ token }).keys.generate({ name: 'limits', tier });
    return () => ({ path: '/v1/did/did:web:x', headers: { Authorization: `Bearer ${api_key}` } });
}

const newAddress = () => `198.${randomInt(18, 20)}.${randomInt(256)}.${randomInt(1, 255)}`;
const addressAt = (index: number) => `192.0.${index >> 8}.${index & 255}`;

function guess({ secret }: Bed, email: string, address: string): Sent {
    return {
        method: 'POST',
        path: '/internal/v1/auth/login',
        headers: { 'X-Internal-Secret': secret, 'X-Client-Address': address },
        body: { email, password: 'a guess' },
    };
}

/** The number of guesses within this time: the free ones, and one after each wait of 1 s, 2 s, 4 s and so on. */
const guessesWithin = (seconds: number): number => FREE + Math.floor(Math.log2(seconds + 1));

async function timed<Result>(run: () => Promise<Result>): Promise<[Result, seconds: number]> {
    const began = performance.now();
    const result = await run();
    return [result, (performance.now() - began) / 1_000];
}

async function decidedByRedis({ service }: Bed, run: () => Promise<HttpAnswer[]>): Promise<HttpAnswer[]> {
    const alone = /^rate_limit_decisions_total\{[^}]*state="unreachable"[^}]*\} (\d+)$/gm;
    const decidedAlone = () => Promise.all(service.ops.map(({ target }) => metric(target, alone)));
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const before = await decidedAlone();
        const answers = await run();
        if (String(await decidedAlone()) === String(before)) return answers;
    }
    return assert.fail(`In each of ${ATTEMPTS} runs Redis did not answer in time.`);
}

function itAdmitsExactly(bed: () => Bed, [tier, limit]: (typeof TIERS)[number], count: number): void {
    it(`enforce the limit of ${limit} of a ${tier} key exactly for ${count} calls`, async () => {
        const { gateways, urls } = bed();
        const load = async () => sendToAll(urls, count, await newCall(bed(), tier));
        const [answers, seconds] = await timed(() => decidedByRedis(bed(), load));
        const windows = windowsOf(answers);
        for (const window of windows) assertExact(window, limit);
        if (!ALL) return;
        const admitted = windows.map((window) => countOf(window, 400)).join(' + ');
        console.log(`| ${gateways} | ${limit} | ${count} | ${admitted} | ${seconds.toFixed(1)} |`);
    });
}

function guardPasswords(bed: () => Bed): void {
    it(`check ${FREE} wrong passwords for an account from one address, and one more after each wait`, async () => {
        const { email } = await newAccount(bed());
        const address = newAddress();
        const [answers, seconds] = await timed(() => sendToAll(bed().urls, 200, () => guess(bed(), email, address)));
        const lookedAt = countOf(answers, 401);
        assert.ok(lookedAt >= FREE && lookedAt <= guessesWithin(seconds), `${lookedAt} in ${seconds} s`);
    });

    it(`check ${PER_DAY} wrong passwords for an account from all addresses together`, async () => {
        const { email } = await newAccount(bed());
        const answers = await sendToAll(bed().urls, 300, (index) => guess(bed(), email, addressAt(index)));
        assert.equal(countOf(answers, 401), PER_DAY);
    });
}

/** Must be the last test, because it stops Redis. */
function goOnAlone(bed: () => Bed): void {
    it('each enforce the limits alone while Redis is unreachable, and no gateway admits more', async () => {
        const { urls, redis, service, gateways } = bed();
        const calls = await Promise.all(
            TIERS.map(async ([tier, limit]) => [await newCall(bed(), tier), limit] as const),
        );
        const [near, far] = [await newAccount(bed()), await newAccount(bed())];
        await redis.stop();
        await until('every gateway is without Redis', async () => {
            const connected = service.ops.map(({ target }) => metric(target, /^redis_connected (\d)$/gm));
            return (await Promise.all(connected)).every((state) => state === 0);
        });
        for (const [call, limit] of calls) {
            const answers = await sendToAll(urls, 2 * limit * gateways, call);
            for (const ofOne of Map.groupBy(answers, ({ url }) => url).values()) {
                for (const window of windowsOf(ofOne)) assertExact(window, limit);
            }
        }
        const address = newAddress();
        const guesses = () => sendToAll(urls, 100 * gateways, () => guess(bed(), near.email, address));
        const [answers, seconds] = await timed(guesses);
        const lookedAt = countOf(answers, 401);
        assert.ok(lookedAt <= gateways * guessesWithin(seconds), `${lookedAt} in ${seconds} s`);
        const fromEverywhere = (index: number) => guess(bed(), far.email, addressAt(index));
        const farAnswers = await sendToAll(urls, 2 * PER_DAY * gateways, fromEverywhere);
        assert.ok(countOf(farAnswers, 401) <= gateways * PER_DAY);
        if (ALL) console.log(`without Redis, ${gateways} processes: ${lookedAt} guesses, ${countOf(farAnswers, 401)}`);
    });
}

for (const gateways of GATEWAYS) {
    describe(`${gateways} gateways`, () => {
        const closing = new AsyncDisposableStack();
        let bed: Bed | undefined;
        const ready = (): Bed => bed ?? assert.fail('the service did not start');
        before(async () => {
            const dir = mkdtempSync(join(tmpdir(), 'exact-limits-'));
            closing.defer(() => rmSync(dir, { recursive: true, force: true }));
            bed = await startBed(gateways, dir, closing);
        });
        after(() => closing.disposeAsync());
        for (const tier of TIERS) for (const load of LOADS) itAdmitsExactly(ready, tier, Math.round(tier[1] * load));
        guardPasswords(ready);
        goOnAlone(ready);
    });
}
