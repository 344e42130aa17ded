import assert from 'node:assert/strict';
import { get } from 'node:http';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startGateway } from '../../gateway/gateway.ts';
import type { Services } from '../../gateway/services.ts';
import { loadConfig } from '../../platform/config.ts';
import type { CallContext } from '../../platform/context.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { quiet, testRedis } from '../harness.ts';

const DID = 'did:key:z6Mkv4ic3R8u3nWbFyRB4E57KtdQdrfBXieJgQSendsTCpPX';
const SECRET = 'the internal secret of this test';

it('a client that goes away takes its call along: nobody waits for it any more', async (t) => {
    const called = Promise.withResolvers<CallContext>();
    const release = Promise.withResolvers<void>();
    const did: Partial<Services['did']> = {
        async resolve({ did }, context) {
            called.resolve(context);
            await release.promise;
            return { did, public_key: new Uint8Array(32) };
        },
    };
    const gateway = await startGateway({
        config: loadConfig({ INTERNAL_SECRET: SECRET, PORT: '0' }),
        services: { did } as Services, // no other is called
        redis: await testRedis(),
        version: '0',
        log: quiet,
        metrics: createMetrics(),
    });
    t.after(() => {
        release.resolve();
        return gateway.stop();
    });
    const headers = { 'X-Internal-Secret': SECRET };
    const request = get(`${gateway.url}/internal/v1/did/${DID}`, { headers }).on('error', () => {});
    const context = await called.promise;
    const { deadline } = context;
    request.destroy();
    while (context.deadline === deadline) {
        assert.ok(performance.now() < deadline, 'the call goes on');
        await delay(5);
    }
    assert.ok(context.deadline < performance.now());
});
