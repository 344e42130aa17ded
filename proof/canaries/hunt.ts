import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { endpointTable } from '../../gateway/endpoints/index.ts';
import { startCollector } from '../../test/support/collector.ts';
import { startService, type Transport } from '../../test/support/service.ts';
import { Canaries, type Place } from './canary.ts';
import { databaseOf, filesAt, type Haystack, heapsOf, metricsOf, redisOf, watchRedis } from './places.ts';
import { searcher } from './search.ts';

/** How long after the last request heaps are looked at, in milliseconds: 60 s is longer than anything is remembered by plan. */
const WAIT_MS = 1_000 * Number(process.env['CANARY_WAIT_S'] ?? 1);

/**
 * Puts a canary into every place where a caller puts a secret, by good calls and bad ones over HTTP and gRPC, and looks for all of
 * them in all that the service leaves behind.
 */
export async function hunt(transport: Transport): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'canaries-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const collector = await startCollector();
    after(() => collector.stop());
    const preload = new URL('long-strings.ts', import.meta.url).href;
    const service = await startService({
        transport,
        gateways: 1, // another one would have the same code, and one more heap to search
        adminUrl: setting('TEST_ADMIN_URL'),
        databaseUrl: setting('TEST_DATABASE_URL'),
        redisUrl: setting('TEST_REDIS_URL'),
        logDir: folder,
        settings: {
            OTLP_ENDPOINT: collector.url,
            LOG_LEVEL: 'trace',
            NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder} --import=${preload}`,
        },
    });
    let isRunning = true;
    const stop = async (): Promise<void> => {
        if (isRunning) await service.stop();
        isRunning = false;
    };
    after(stop);
    const { E2E_URLS: gateway } = service.env;
    const twice = { E2E_URLS: `${gateway},${gateway}` }; // the end-to-end tests expect two
    Object.assign(process.env, service.env, twice); // before their client is loaded
    const url = new URL(service.env['E2E_DATABASE_URL'] as string); // test/support/service.ts gives it
    const database = url.pathname.slice(1);
    const canaries = new Canaries();
    const sentToRedis = await watchRedis(setting('TEST_REDIS_URL'));
    const refusals = await callAll(canaries, database, { ...service.env, TEST_DATABASE_PASSWORD: url.password });

    const places: Array<[Place, () => Haystack[] | Promise<Haystack[]>]> = [
        ['refusal', () => [{ name: 'answers', bytes: Buffer.from(refusals.join('\n')) }]],
        ['metrics', () => metricsOf(service.ops.map(({ target }) => target))],
        ['redis', async () => [sentToRedis(), ...(await redisOf(setting('TEST_REDIS_URL')))]],
        ['heap', () => delay(WAIT_MS).then(() => heapsOf(database, folder))],
        ['database', () => databaseOf(setting('TEST_ADMIN_URL'), database)],
        ['trace', () => stop().then(() => [{ name: 'OTLP', bytes: Buffer.from(collector.text()) }])],
        ['log', () => filesAt(join(folder, '*.log'))],
    ];
    const search = searcher(canaries.all);
    for (const [place, haystacksOf] of places) {
        it(`no secret is in: ${place} (${canaries.all.length} canaries, ${transport})`, async (t) => {
            const haystacks = await haystacksOf();
            const size = haystacks.reduce((sum, { bytes }) => sum + bytes.length, 0);
            t.diagnostic(`${haystacks.length} places, ${size} bytes`);
            assert.ok(size > 0, 'there is something to search');
            const hits = haystacks.flatMap(({ name, bytes }) => search(bytes).map((hit) => ({ name, ...hit })));
            const leaks = hits.filter(({ canary }) => !canary.allowed.has(place));
            assert.deepEqual(
                leaks.map(({ canary, form, name, offset }) => `${canary.label} in ${form}: ${name} at ${offset}`),
                [],
            );
            const known = canaries.all.some(({ allowed }) => allowed.has(place));
            assert.equal(hits.length > 0, known, 'what is known to be there is found');
        });
    }
}

/** Gives the answers of refusals. */
async function callAll(canaries: Canaries, database: string, env: Record<string, string>): Promise<string[]> {
    const { callWell, noteOwnSecrets } = await import('./good-calls.ts');
    const { badCalls, sendAll, strangeCalls } = await import('./bad-calls.ts');
    const { callOverGrpc } = await import('./grpc-calls.ts');
    const { flood } = await import('./flood.ts');
    const { noteKeys } = await import('./issuer-calls.ts');
    const { closeClients } = await import('../../test/e2e/support/grpc.ts');
    after(closeClients);
    noteOwnSecrets(canaries, env);
    const person = await callWell(canaries);
    const table = endpointTable({ version: '', cache: async () => {}, clock: Date.now });
    const bad = table.flatMap((endpoint) => badCalls(endpoint, person, canaries));
    const refusals = [
        ...(await sendAll([...bad, ...strangeCalls(canaries)])),
        await flood(canaries, person, database),
        ...(await callOverGrpc(canaries)),
    ];
    await noteKeys(canaries, env);
    return refusals;
}

function setting(name: string): string {
    return process.env[name] ?? assert.fail(`${name} is not set: run this file with "npm test -- <file>".`);
}
