import assert from 'node:assert/strict';
import { get } from 'node:http';
import { it } from 'node:test';
import { startGateway } from '../../../gateway/gateway.ts';
import type { Services } from '../../../gateway/services.ts';
import { type CallContext, requireTime } from '../../../platform/context.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import { bind } from '../../../platform/rpc/definition.ts';
import { dispatcher } from '../../../platform/rpc/dispatch.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { DidServiceDefinition } from '../../../proto/gen/did/v1/did.ts';
import { recordingLog, testRedis } from '../../support/harness.ts';
import { stubService } from '../../support/stub-service.ts';
import { testLimiter, UNCOUNTED } from '../../support/test-redis.ts';
import { connectTo, startReplica, until } from '../rpc/rpc.fixture.ts';

const DID = 'did:key:z6Mkv4ic3R8u3nWbFyRB4E57KtdQdrfBXieJgQSendsTCpPX';
const SECRET = 'the internal secret of this test';

it('when a client disconnects, its call is cancelled in every process, and no process logs an error', async (t) => {
    const called = Promise.withResolvers<CallContext>();
    const release = Promise.withResolvers<void>();
    const implementation = stubService(DidServiceDefinition, {
        async resolve({ did }, context) {
            called.resolve(context);
            await release.promise;
            requireTime(context); // as a queue does when a call's turn comes
            return { did, public_key: new Uint8Array(32) };
        },
    });
    const service = { ...recordingLog(), metrics: createMetrics() };
    const methods = bind(DidServiceDefinition, implementation);
    const replica = await startReplica(t, { methods, dispatch: dispatcher(methods, service).remote });
    const front = { ...recordingLog(), metrics: createMetrics() };
    const redis = await testRedis();
    const gateway = await startGateway({
        config: loadConfig({ INTERNAL_SECRET: SECRET, PORT: '0' }),
        // No other service is called.
        services: { did: connectTo(t, [replica.address]) } as Partial<Services> as Services,
        redis,
        limiter: testLimiter({ redis, ...front }),
        requestCounts: UNCOUNTED,
        version: '0',
        log: front.log,
        metrics: front.metrics,
        clock: Date.now,
    });
    t.after(() => {
        release.resolve();
        return gateway.stop();
    });
    const headers = { 'X-Internal-Secret': SECRET };
    const request = get(`${gateway.url}/internal/v1/did/${DID}`, { headers }).on('error', () => {});
    const context = await called.promise;
    request.destroy();
    await until('the service sees the cancellation', () => context.cancellation.isCancelled);
    release.resolve();
    await until('both processes have logged the call', () => service.lines.length > 0 && front.lines.length > 0);

    const [call] = service.lines;
    assert.deepEqual([call?.['level'], call?.['method'], call?.['err']], [30, '/did.v1.DidService/Resolve', undefined]);
    const seconds = (await service.metrics.expose()).text;
    assert.match(seconds, /rpc_server_duration_seconds_count\{method="[^"]*Resolve",outcome="cancelled"\} 1/);
    assert.deepEqual(
        front.lines.map(({ level, aborted, error, status }) => ({ level, aborted, error, status })),
        [{ level: 30, aborted: true, error: 'cancelled', status: 499 }],
    );
    const counts = (await front.metrics.expose()).text;
    assert.match(
        counts,
        /http_request_duration_seconds_count\{route="internal\.did[^"]*",method="GET",status="499"\} 1/,
    );
});
