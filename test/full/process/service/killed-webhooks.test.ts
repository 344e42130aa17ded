import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { type Client, createClient } from '../../../../client/src/client.ts';
import { keptSecret } from '../../../../deploy/local/data-dir.ts';
import { rolesWithout } from '../../../support/members.ts';
import { type Received, startReceiver } from '../../../support/receiver.ts';
import { startService, type TestService } from '../../../support/service.ts';
import { until } from '../../../support/until.ts';
import { makeTemplate, postgresServer, serviceUrl } from '../../faults/stack/postgres-server.ts';

/** Number of events, in batches of BATCH. */
const EVENTS = Number(process.env['KILLED_EVENTS'] ?? 2_000);
const BATCH = 250;
/** Number of batches after which the next part is killed, so that each is killed at least twice. */
const BATCHES_PER_KILL = Math.max(1, Math.floor(EVENTS / BATCH / 8));
/** Time that all deliveries may take, in milliseconds: leases of killed processes end, and failures are repeated. */
const DELIVERED_MS = 240_000 + EVENTS * 10;

const dir = mkdtempSync(join(tmpdir(), 'killed-webhooks-'));
after(() => rmSync(dir, { recursive: true }));

/** A service on a PostgreSQL of its own. */
async function startBed() {
    await makeTemplate(dir);
    const postgres = await postgresServer({ template: dir, folder: join(dir, 'own', 'postgres') });
    let service: TestService | undefined;
    after(async () => {
        await service?.stop();
        await postgres.end('SIGKILL');
    });
    await postgres.start();
    const password = keptSecret(dir, 'postgres-admin-password');
    service = await startService({
        transport: 'grpc',
        gateways: 1,
        groups: [rolesWithout('webhooks', 'events')],
        adminUrl: `postgresql://postgres:${password}@127.0.0.1:${postgres.port}/postgres`,
        databaseUrl: serviceUrl(dir, postgres.port),
        redisUrl: process.env['TEST_REDIS_URL'] as string, // npm test sets it
        logDir: dir,
        settings: { DATABASE_POOL: '4', SIGNATURE_THREADS: '1', PASSWORD_THREADS: '1' },
    });
    return { postgres, service };
}

/** A receiver that can be killed. `news` returns the deliveries since the last call. */
async function startKillable(certified: { cert: string; key: string }) {
    let receiver = await startReceiver(certified);
    const { url } = receiver;
    let waiting: Received[] = [];
    let taken = 0;
    return {
        url,
        news(): Received[] {
            const news = [...waiting, ...receiver.received.slice(taken)];
            waiting = [];
            taken = receiver.received.length;
            return news;
        },
        async restart() {
            await receiver[Symbol.asyncDispose]();
            waiting = this.news();
            receiver = await startReceiver(certified, { port: Number(new URL(url).port) });
            taken = 0;
        },
        stop: () => receiver[Symbol.asyncDispose](),
    };
}

/** The stream of an account, whose numbers must have no gaps. */
async function streamOf(client: Client): Promise<string[]> {
    const ids: string[] = [];
    for (let after = 0; ; ) {
        const { events, next } = await client.events.list({ after, limit: 1_000 });
        if (events.length === 0 && next === after) return ids;
        for (const [index, { seq, type, data }] of events.entries()) {
            assert.equal(seq, after + index + 1);
            if (type === 'credential.issued') ids.push(data.credential_id ?? '');
        }
        after = next;
    }
}

it('every committed event is delivered, whichever part is killed meanwhile, and the stream has no gaps', async () => {
    const { postgres, service } = await startBed();
    const { E2E_URLS = '', E2E_INTERNAL_SECRET: internalSecret = '', E2E_RECEIVER = '' } = service.env;
    const admin = createClient({ base_url: E2E_URLS, internal_secret: internalSecret });
    const account = { email: 'ada@example.com', password: 'correct horse battery' };
    const { user_id: userId } = await admin.internal.auth.register(account);
    const session = admin.as({ token: (await admin.internal.auth.login(account)).token });
    const me = admin.as({ token: (await session.keys.generate({ name: 'key', tier: 'enterprise' })).api_key });

    const delivered = new Set<string>();
    let requests = 0;
    const receiver = await startKillable(JSON.parse(E2E_RECEIVER));
    after(() => receiver.stop());
    const { secret } = await me.webhooks.create({ url: receiver.url, types: ['credential.issued'] });
    const verifier = new Webhook(secret);
    const count = () => {
        for (const { body, headers } of receiver.news()) {
            const { data } = verifier.verify(body, headers) as { data: { credential_id: string } };
            delivered.add(data.credential_id);
            requests++;
        }
    };

    const killed = (role: string) =>
        service.restart(
            service.ops.findIndex((own) => own.role === role),
            'SIGKILL',
        );
    const parts = [
        () => killed('webhooks'),
        () => receiver.restart(),
        () => killed('events'),
        async () => {
            await postgres.end('SIGKILL');
            await postgres.start();
        },
    ];
    // A trusted caller has no rate limit.
    const { did, credentials } = admin.as({ on_behalf_of: userId }).internal;
    const issuer = await did.create();
    const signer = { issuer_did: issuer.did, issuer_private_key: issuer.private_key ?? '' };
    const item = { subject_did: 'did:web:ada.example', credential_type: 'EmploymentCredential', claims: {} };
    const items = Array.from({ length: BATCH }, () => item);
    const committed = new Set<string>();
    for (let [batch, kills] = [0, 0]; batch < EVENTS / BATCH; batch++) {
        // The client repeats what a part that is away refuses, with the same Idempotency-Key.
        const { results } = await credentials.batch.issue({ ...signer, items });
        for (const result of results) if (result.ok) committed.add(result.credential_id ?? '');
        count();
        if (batch % BATCHES_PER_KILL !== 0) continue;
        const before = requests;
        const isUnderWay = () => {
            count();
            return requests > before + 20 || delivered.size === committed.size;
        };
        await until('deliveries are under way', isUnderWay, DELIVERED_MS);
        await parts[kills++ % parts.length]?.();
    }
    const isComplete = () => {
        count();
        return delivered.size >= committed.size;
    };
    await until('all events are delivered', isComplete, DELIVERED_MS);
    assert.deepEqual([...delivered].sort(), [...committed].sort());
    assert.deepEqual((await streamOf(me)).sort(), [...committed].sort());
    console.log(`${committed.size} events, ${requests} deliveries`);
});
