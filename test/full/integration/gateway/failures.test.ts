import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { startGateway } from '../../../../gateway/gateway.ts';
import type { Services } from '../../../../gateway/services.ts';
import { makeApiKey } from '../../../../platform/access/api-key.ts';
import { AppError } from '../../../../platform/errors.ts';
import { overloaded } from '../../../../platform/gather.ts';
import { newId } from '../../../../platform/ids.ts';
import { loadConfig } from '../../../../platform/process/config.ts';
import { bind } from '../../../../platform/rpc/definition.ts';
import { dispatcher } from '../../../../platform/rpc/dispatch.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { DidServiceDefinition } from '../../../../proto/gen/did/v1/did.ts';
import { connectTo, connectToNone, startReplica, until } from '../../../integration/rpc/rpc.fixture.ts';
import { recordingLog, testRedis } from '../../../support/harness.ts';
import { stubService } from '../../../support/stub-service.ts';
import { testLimiter, UNCOUNTED, UNRESTRICTED } from '../../../support/test-redis.ts';

const DID = 'did:key:z6Mkv4ic3R8u3nWbFyRB4E57KtdQdrfBXieJgQSendsTCpPX';
const SECRET = 'the internal secret of this test';

async function start(t: TestContext, services: Partial<Services>) {
    const { lines, log } = recordingLog();
    const metrics = createMetrics();
    const redis = await testRedis();
    const gateway = await startGateway({
        config: loadConfig({ INTERNAL_SECRET: SECRET, PORT: '0' }),
        services: services as Services, // no other service is called
        redis,
        limiter: testLimiter({ redis, log, metrics }),
        requestCounts: UNCOUNTED,
        version: '0',
        log,
        metrics,
        clock: Date.now,
    });
    t.after(() => gateway.stop());
    /** The line of the only request, once it is written. */
    const requestLine = async () => {
        const find = () => lines.find((line) => 'duration_ms' in line);
        await until('the request is logged', () => find() !== undefined);
        return find() ?? {};
    };
    return { url: gateway.url, requestLine, metrics: async () => (await metrics.expose()).text };
}

async function askForDid(url: string): Promise<number> {
    const headers = { 'X-Internal-Secret': SECRET };
    const answer = await fetch(`${url}/internal/v1/did/${DID}`, { headers });
    await answer.body?.cancel();
    return answer.status;
}

for (const frames of [true, false]) {
    it(`the log and the metrics of the gateway name the full queue of a service (frames: ${frames})`, async (t) => {
        const implementation = stubService(DidServiceDefinition, {
            async resolve() {
                throw overloaded('did_find');
            },
        });
        const methods = bind(DidServiceDefinition, implementation);
        const service = recordingLog();
        const { remote } = dispatcher(methods, { log: service.log, metrics: createMetrics() });
        const replica = await startReplica(t, { methods, dispatch: remote });
        const gateway = await start(t, { did: connectTo(t, [replica.address], { frames }) });
        assert.equal(await askForDid(gateway.url), 503);
        assert.equal(await askForDid(gateway.url), 503);
        assert.deepEqual(
            service.lines.map(({ level, reason, err }) => ({ level, reason, err })),
            [{ level: 40, reason: 'queue did_find', err: undefined }],
            'a refusal is no error, and has one line',
        );
        const { status, error, reason } = await gateway.requestLine();
        assert.deepEqual({ status, error, reason }, { status: 503, error: 'unavailable', reason: 'queue did_find' });
        assert.match(await gateway.metrics(), /http_unavailable_total\{reason="queue did_find"\} 2/);
    });
}

it('the log and the metrics of the gateway name the service that cannot be reached', async (t) => {
    const gateway = await start(t, { did: connectToNone(t, [], 'did') });
    assert.equal(await askForDid(gateway.url), 503);
    assert.equal((await gateway.requestLine())['reason'], 'service did');
    assert.match(await gateway.metrics(), /http_unavailable_total\{reason="service did"\} 1/);
});

it('a list that breaks off is logged and counted as the failure, and not as a disconnected client', async (t) => {
    const headersRead = Promise.withResolvers<void>();
    const gateway = await start(t, {
        keys: {
            async authenticate() {
                return {
                    alive: true,
                    key_id: newId(),
                    user_id: newId(),
                    tier: 'enterprise',
                    rate_limit: 10_000,
                    ...UNRESTRICTED,
                };
            },
        } as Partial<Services['keys']> as Services['keys'], // no other method is called
        credentials: {
            async list({ cursor }) {
                if (cursor === undefined) return { credentials: [], next_cursor: 'more', total: undefined };
                await headersRead.promise;
                throw new AppError('unavailable', 'Try again shortly.', { reason: 'database' });
            },
        } as Partial<Services['credentials']> as Services['credentials'], // no other method is called
    });
    const { api_key } = makeApiKey({ brand: 'cred', environment: 'test' });
    const answer = await fetch(`${gateway.url}/v1/credentials/by-issuer/${DID}`, {
        headers: { Authorization: `Bearer ${api_key}` },
    });
    assert.equal(answer.status, 200);
    headersRead.resolve();
    await assert.rejects(answer.text());
    const { status, error, reason, aborted } = await gateway.requestLine();
    assert.deepEqual(
        { status, error, reason, aborted },
        { status: 503, error: 'unavailable', reason: 'database', aborted: undefined },
    );
    assert.match(
        await gateway.metrics(),
        /http_request_duration_seconds_count\{route="credentials\.by_issuer",method="GET",status="503"\} 1/,
    );
});
