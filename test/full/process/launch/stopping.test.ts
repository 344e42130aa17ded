import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { createClient } from '../../../../client/src/client.ts';
import { rolesWithout } from '../../../support/members.ts';
import { startService } from '../../../support/service.ts';

const logDir = mkdtempSync(join(tmpdir(), 'stopping-'));
after(() => rmSync(logDir, { recursive: true }));

it('a service under constant load stops soon, and answers the requests that it has begun', async () => {
    const service = await startService({
        transport: 'local',
        // npm test sets all three
        adminUrl: process.env['TEST_ADMIN_URL'] as string,
        databaseUrl: process.env['TEST_DATABASE_URL'] as string,
        redisUrl: process.env['TEST_REDIS_URL'] as string,
        logDir,
    });
    const urls = (service.env['E2E_URLS'] as string).split(',');
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const seen: string[] = [];
    const clients = urls.flatMap((url) =>
        Array.from({ length: 4 }, () => askUntilGone(`${url}/internal/health`, agent, seen)),
    );
    const across = urls.map((url) => askAcrossStop(new URL(url)));

    while (seen.length < 100) await delay(5);
    const began = performance.now();
    await service.stop();
    assert.ok(performance.now() - began < 8_000, 'it took too long');
    await Promise.all(clients);
    assert.deepEqual(new Set(seen), new Set(['whole']));
    agent.destroy();
    for (const answers of await Promise.all(across)) {
        assert.deepEqual(answers.match(/HTTP\/1\.1 \d+|Connection: [a-z-]+/gi), [
            'HTTP/1.1 400',
            'Connection: keep-alive',
            'HTTP/1.1 200',
            'Connection: close',
        ]);
    }
});

it('a gateway that stops sends the counts of the requests that it has served, and so does the keys service', async () => {
    const service = await startService({
        transport: 'grpc',
        gateways: 1,
        groups: [rolesWithout('keys')],
        adminUrl: process.env['TEST_ADMIN_URL'] as string,
        databaseUrl: process.env['TEST_DATABASE_URL'] as string,
        redisUrl: process.env['TEST_REDIS_URL'] as string,
        logDir,
    });
    after(() => service.stop());
    const baseUrl = service.env['E2E_URLS'] as string;
    const internalSecret = service.env['E2E_INTERNAL_SECRET'] as string;
    const login = { email: 'ada@example.org', password: 'correct horse battery' };
    const { internal } = createClient({ base_url: baseUrl, internal_secret: internalSecret });
    await internal.auth.register({ ...login, name: 'Ada' });
    const { keys } = createClient({ base_url: baseUrl, token: (await internal.auth.login(login)).token });
    const { api_key, key_id } = await keys.generate({ name: 'key', tier: 'pro' });
    const { did } = createClient({ base_url: baseUrl, token: api_key });
    const restart = (stopping: string) => service.restart(service.ops.findIndex(({ role }) => role === stopping));
    await internal.keys.verify({ api_key, cost: 7 });
    await restart('keys');
    for (let call = 0; call < 5; call++) await did.create({});
    await restart('gateway');
    const database = new Client({ connectionString: service.env['E2E_DATABASE_URL'] });
    await database.connect();
    const { rows } = await database.query('SELECT requests_of_day::int AS requests FROM usage.keys WHERE key_id = $1', [
        key_id,
    ]);
    await database.end();
    assert.deepEqual(rows, [{ requests: 12 }]);
});

/** Sends one request after the other until nothing listens. Adds to `seen` how each answer ended. */
async function askUntilGone(url: string, agent: Agent, seen: string[]): Promise<void> {
    for (;;) {
        const outcome = await new Promise<string>((resolve) => {
            const request = get(url, { agent }, (response) => {
                response.resume();
                response.on('end', () => resolve(response.complete ? 'whole' : 'cut'));
                response.on('error', () => resolve('cut'));
            });
            request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
        });
        if (outcome === 'ECONNREFUSED') return;
        // A connection may close just when the next request is being sent on it.
        if (outcome !== 'ECONNRESET' && outcome !== 'EPIPE') seen.push(outcome);
    }
}

/**
 * Begins a request. When the service accepts no more connections, it finishes the request and sends another one.
 * Returns the answers.
 */
async function askAcrossStop({ hostname, port }: URL): Promise<string> {
    const at = { host: hostname, port: Number(port) };
    const socket = connect(at);
    await once(socket, 'connect');
    const head = (start: string) => `${start} HTTP/1.1\r\nHost: ${hostname}\r\n`;
    const length = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n';
    socket.write(`${head('POST /internal/v1/auth/login')}${length}{`);
    while (await isListening(at)) await delay(5);
    socket.write(`}${head('GET /internal/health')}\r\n`);
    return text(socket);
}

async function isListening(at: { host: string; port: number }): Promise<boolean> {
    const socket = connect(at);
    const connected = await once(socket, 'connect').then(
        () => true,
        () => false,
    );
    socket.destroy();
    return connected;
}
