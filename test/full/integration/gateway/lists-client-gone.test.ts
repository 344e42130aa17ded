import assert from 'node:assert/strict';
import { type ClientRequest, get } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startGateway } from '../../../../gateway/gateway.ts';
import type { Services } from '../../../../gateway/services.ts';
import { livenessMarks } from '../../../../platform/access/liveness-marks.ts';
import { sql } from '../../../../platform/postgres/db.ts';
import { loadConfig } from '../../../../platform/process/config.ts';
import { connect } from '../../../../platform/rpc/connect.ts';
import { bind, client, type Transport } from '../../../../platform/rpc/definition.ts';
import { dispatcher } from '../../../../platform/rpc/dispatch.ts';
import { localTransport } from '../../../../platform/rpc/local.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { CredentialsServiceDefinition } from '../../../../proto/gen/credentials/v1/credentials.ts';
import { KeysServiceDefinition } from '../../../../proto/gen/keys/v1/keys.ts';
import { credentialsService } from '../../../../services/credentials/service.ts';
import { keysService } from '../../../../services/keys/service.ts';
import { keyStore } from '../../../../services/keys/store.ts';
import { newParty, startServices } from '../../../integration/credentials/credentials.fixture.ts';
import { serveHere, TOKEN } from '../../../integration/rpc/rpc.fixture.ts';
import { AMPLE } from '../../../integration/services/ample.ts';
import { testCursors } from '../../../integration/services/reached.ts';
import { testIdempotency } from '../../../integration/services/test-idempotency.ts';
import { quiet, testRedis } from '../../../support/harness.ts';
import { testLimiter, UNCOUNTED } from '../../../support/test-redis.ts';

const { db, dependencies, did, signing } = await startServices();
const redis = await testRedis();
const issuer = await newParty(did);
/** The number of credentials in the list: more than the buffers on the way can hold. */
const ROWS = 60_000;

for (let written = 0; written < ROWS; written += 5_000) {
    await db.rows(sql.unsafe`
        INSERT INTO credentials.credentials (id, account, issued_at, issuer, subject, credential_type)
        SELECT gen_random_uuid(), ${issuer.account}, now(), ${issuer.did}, 'did:web:subject' || n || '.example', 't'
        FROM generate_series(1, 5000) AS n`);
}

const read = { pages: 0 };
const keys = keysService({
    store: keyStore(db),
    livenessMarks: livenessMarks({ redis, shards: 1 }),
    limiter: testLimiter({ redis }),
    requestCounts: UNCOUNTED,
    cursors: testCursors,
    idempotency: testIdempotency(db)('keys'),
    policy: {
        brand: 'cred',
        environment: 'test',
        tierPolicy: 'any',
        keyLimits: AMPLE,
        keyQuota: AMPLE,
        windowMs: 60_000,
    },
    clock: Date.now,
});
const credentials = credentialsService({
    ...dependencies,
    parts: {
        ...dependencies.parts,
        stores: dependencies.parts.stores.map((store) => ({
            ...store,
            page(...query) {
                read.pages++;
                return store.page(...query);
            },
        })),
    },
    services: { did, signing },
    listScope: 'owner',
});
const methods = [...bind(KeysServiceDefinition, keys), ...bind(CredentialsServiceDefinition, credentials)];
const dispatch = dispatcher(methods, { log: quiet, metrics: createMetrics() });

const TRANSPORTS: Record<'local' | 'grpc', (t: TestContext) => Promise<Transport>> = {
    local: async () => localTransport(dispatch.local),
    async grpc(t) {
        const server = await serveHere({ methods, dispatch: dispatch.remote });
        t.after(() => server.stop());
        const connection = connect({ service: 'test', address: server.address, serviceToken: TOKEN, tls: undefined });
        t.after(() => connection.close());
        return connection.transport;
    },
};

async function startOver(t: TestContext, transport: Transport) {
    const services = {
        keys: client(KeysServiceDefinition, transport),
        credentials: client(CredentialsServiceDefinition, transport),
    } as Services; // no other service is called
    const gateway = await startGateway({
        config: loadConfig({ INTERNAL_SECRET: 'the internal secret of this test', PORT: '0' }),
        services,
        redis,
        limiter: testLimiter({ redis }),
        requestCounts: UNCOUNTED,
        version: '0',
        log: quiet,
        metrics: createMetrics(),
        clock: Date.now,
    });
    t.after(() => gateway.stop());
    return gateway;
}

/** Requests the whole list, and reads only the headers of the answer. */
function askFor(url: string, apiKey: string): Promise<ClientRequest> {
    return new Promise((resolve, reject) => {
        const request = get(url, { headers: { authorization: `Bearer ${apiKey}` } }, (response) => {
            response.on('error', () => {}).pause();
            if (response.statusCode === 200) resolve(request);
            else reject(new Error(`the answer has status ${response.statusCode}`));
        });
        request.on('error', reject);
    });
}

/** Resolves when no page has been read for a while. */
async function untilStalled(): Promise<void> {
    for (let pages = -1; pages !== read.pages; ) {
        ({ pages } = read);
        await delay(500);
    }
}

test('a HEAD request for a long list reads only its first page', async (t) => {
    const gateway = await startOver(t, await TRANSPORTS.local(t));
    const { api_key } = await keys.generate(
        { name: 'key', tier: 'enterprise', scopes: [], allowed_addresses: [] },
        issuer.context,
    );
    read.pages = 0;
    const answer = await fetch(`${gateway.url}/v1/credentials/by-issuer/${issuer.did}`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${api_key}` },
    });
    assert.equal(answer.status, 200);
    await delay(500);
    assert.equal(read.pages, 1);
});

for (const [name, transportOf] of Object.entries(TRANSPORTS)) {
    test(`over ${name}: when the client of a long list disconnects, reading stops and its place is free`, async (t) => {
        const gateway = await startOver(t, await transportOf(t));
        const { api_key } = await keys.generate(
            { name: 'key', tier: 'enterprise', scopes: [], allowed_addresses: [] },
            issuer.context,
        );
        const url = `${gateway.url}/v1/credentials/by-issuer/${issuer.did}`;
        for (let turn = 0; turn < 3; turn++) {
            read.pages = 0;
            const request = await askFor(url, api_key);
            await untilStalled();
            const pages = read.pages;
            assert.ok(pages > 0 && pages < ROWS / 1_000, `${pages} pages`);
            request.destroy();
            await delay(500);
            assert.equal(read.pages, pages);
        }
    });
}
