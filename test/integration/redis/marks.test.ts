import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { LIVENESS_MARK_MS, livenessMarkKey, livenessMarks } from '../../../platform/access/liveness-marks.ts';
import { openRedis, shardTag } from '../../../platform/redis/redis.ts';
import { startTracing } from '../../../platform/telemetry/tracing.ts';
import { startCollector } from '../../support/collector.ts';
import { quiet } from '../../support/context.ts';
import { testRedis } from '../../support/test-redis.ts';

const SHARDS = 16;
const redis = await testRedis();
const { refuse, refuseAnd } = livenessMarks({ redis, shards: SHARDS });

function newTarget(count = 1) {
    const target = {
        account: randomUUID(),
        subject: 'session' as const,
        ids: Array.from({ length: count }, () => randomUUID()),
    };
    const tag = shardTag(target.account, SHARDS);
    return { target, keys: target.ids.map((id) => livenessMarkKey(tag, 'session', id)) };
}

/** Liveness marks without a Redis. */
function marksWithoutRedis(t: TestContext) {
    const away = openRedis({ url: 'redis://127.0.0.1:1', log: quiet });
    t.after(() => away.disconnect());
    return livenessMarks({ redis: away, shards: SHARDS });
}

describe('a refused mark', () => {
    it('is set for each of several sessions, in the shard of their account, for a minute', async () => {
        const { target, keys } = newTarget(3);
        assert.equal(await refuse(target), undefined);
        for (const key of keys) {
            assert.equal(await redis.get(key), 'R');
            const leftMs = await redis.pttl(key);
            assert.ok(leftMs > LIVENESS_MARK_MS - 20_000 && leftMs <= LIVENESS_MARK_MS, `${leftMs} ms`);
        }
    });

    it('has different names for keys and for sessions', () => {
        assert.equal(livenessMarkKey('{3}', 'key', 'a'), 'mark:{3}:key:a');
        assert.equal(livenessMarkKey('{3}', 'session', 'a'), 'mark:{3}:session:a');
    });

    it('is set before the revocation commits, and the caller gets the result of the commit', async () => {
        const { target, keys } = newTarget();
        const seen = await refuseAnd(target, () => redis.get(keys[0] as string)); // there is one
        assert.equal(seen, 'R');
    });

    it('stays set if the commit fails, and the caller gets the error of the commit', async () => {
        const { target, keys } = newTarget();
        await assert.rejects(
            refuseAnd(target, () => Promise.reject(new Error('no commit'))),
            /no commit/,
        );
        assert.equal(await redis.exists(keys), 1);
    });
});

describe('without Redis', () => {
    it('the revocation still commits, and the caller is told to repeat the call', async (t) => {
        const { target } = newTarget();
        let commits = 0;
        const ending = marksWithoutRedis(t).refuseAnd(target, async () => ++commits);
        await assert.rejects(ending, {
            kind: 'unavailable',
            detail: 'It is revoked, but some gateways may not know it yet. Repeat the call to make sure.',
            retry_after: 1,
        });
        assert.equal(commits, 1);
    });

    it('a caller that sets marks within a transaction gets the error with its cause', async (t) => {
        const failure = await marksWithoutRedis(t).refuse(newTarget().target);
        assert.equal(failure?.kind, 'unavailable');
        assert.ok(failure.cause instanceof Error);
    });
});

it('the trace of a call shows its refused marks, and which of them could not be set', async (t) => {
    const collector = await startCollector();
    t.after(() => collector.stop());
    const tracing = await startTracing({ endpoint: collector.url, sample: 1, service: 'test', log: quiet });
    const parent = { traceparent: '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01' };
    await refuse(newTarget().target, parent);
    await refuseAnd(newTarget().target, async () => {}, parent);
    await marksWithoutRedis(t).refuse(newTarget().target, parent);
    await tracing.stop();
    const found = collector.spans().map(({ name, kind, attributes }) => ({
        name,
        kind,
        system: attributes['db.system.name'],
        failed: 'error.type' in attributes,
    }));
    const mark = { name: 'refused_mark', kind: 3, system: 'redis' }; // 3 is the client span kind of OTLP
    assert.deepEqual(
        found,
        [false, false, true].map((failed) => ({ ...mark, failed })),
    );
});
