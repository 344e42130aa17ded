import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createClient } from '../../../../client/src/client.ts';
import { startReceiver } from '../../../support/receiver.ts';
import { startService } from '../../../support/service.ts';
import { until } from '../../../support/until.ts';

/** Number of events, in batches of BATCH. */
const EVENTS = 4_000;
const BATCH = 500;
/** How often the process that sends is killed, and the receiver restarted, while they are sent. */
const KILLS = 3;
/** Time that all deliveries may take, in milliseconds: leases of killed processes end, and failures are repeated. */
const DELIVERED_MS = 240_000;

const logDir = mkdtempSync(join(tmpdir(), 'killed-webhooks-'));
after(() => rmSync(logDir, { recursive: true }));

it('every committed event is delivered, whenever the process that sends is killed or the receiver is away', async () => {
    const service = await startService({
        transport: 'grpc',
        gateways: 1,
        // npm test sets all three
        adminUrl: process.env['TEST_ADMIN_URL'] as string,
        databaseUrl: process.env['TEST_DATABASE_URL'] as string,
        redisUrl: process.env['TEST_REDIS_URL'] as string,
        logDir,
        settings: { DATABASE_POOL: '4', SIGNATURE_THREADS: '1', PASSWORD_THREADS: '1' },
    });
    after(() => service.stop());
    const { E2E_URLS = '', E2E_INTERNAL_SECRET: internalSecret = '', E2E_RECEIVER = '' } = service.env;
    const admin = createClient({ base_url: E2E_URLS, internal_secret: internalSecret });
    const account = { email: 'ada@example.com', password: 'correct horse battery' };
    await admin.internal.auth.register(account);
    const session = admin.as({ token: (await admin.internal.auth.login(account)).token });
    const me = admin.as({ token: (await session.keys.generate({ name: 'key', tier: 'enterprise' })).api_key });

    const certified = JSON.parse(E2E_RECEIVER);
    let receiver = await startReceiver(certified);
    const { url } = receiver;
    const port = Number(new URL(url).port);
    const { secret } = await me.webhooks.create({ url, types: ['credential.issued'] });
    const verifier = new Webhook(secret);
    const delivered = new Set<string>();
    let requests = 0;
    const count = () => {
        for (const { body, headers } of receiver.received.slice()) {
            const { data } = verifier.verify(body, headers) as { data: { credential_id: string } };
            delivered.add(data.credential_id);
            requests++;
        }
    };

    const sending = service.ops.findIndex(({ role }) => role === 'webhooks');
    const issuer = await me.did.create();
    const committed = new Set<string>();
    const item = { subject_did: 'did:web:ada.example', credential_type: 'EmploymentCredential', claims: {} };
    for (let batch = 0; batch < EVENTS / BATCH; batch++) {
        const before = receiver.received.length;
        const { results } = await me.credentials.batch.issue({
            issuer_did: issuer.did,
            issuer_private_key: issuer.private_key ?? '',
            items: Array.from({ length: BATCH }, () => item),
        });
        for (const result of results) if (result.ok) committed.add(result.credential_id ?? '');
        if (batch >= KILLS) continue;
        await until('deliveries are under way', () => receiver.received.length > before + 20, DELIVERED_MS);
        await service.restart(sending, 'SIGKILL');
        count();
        await receiver[Symbol.asyncDispose]();
        receiver = await startReceiver(certified, { port });
    }
    assert.equal(committed.size, EVENTS);
    const missing = () => {
        const now = new Set(receiver.received.map(({ body }) => JSON.parse(body).data.credential_id));
        return [...committed].filter((id) => !delivered.has(id) && !now.has(id));
    };
    await until('all events are delivered', () => missing().length === 0, DELIVERED_MS);
    count();
    await receiver[Symbol.asyncDispose]();
    assert.deepEqual([...delivered].sort(), [...committed].sort());
    console.log(`${EVENTS} events, ${requests} deliveries, ${KILLS} kills`);
});
