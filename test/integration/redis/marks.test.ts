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

/** Marks whose Redis nobody has started. */
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
            const left_ms = await redis.pttl(key);
            assert.ok(left_ms > LIVENESS_MARK_MS - 20_000 && left_ms <= LIVENESS_MARK_MS, `${left_ms} ms`);
        }
    });

    it('tells keys from sessions', () => {
        assert.equal(livenessMarkKey('{3}', 'key', 'a'), 'mark:{3}:key:a');
        assert.equal(livenessMarkKey('{3}', 'session', 'a'), 'mark:{3}:session:a');
    });

    it('is set before what it announces is committed, whose result the caller gets', async () => {
        const { target, keys } = newTarget();
        const seen = await refuseAnd(target, () => redis.get(keys[0] as string)); // there is one
        assert.equal(seen, 'R');
    });

    it('is set though the commit fails, and the caller hears of that failure', async () => {
        const { target, keys } = newTarget();
        await assert.rejects(
            refuseAnd(target, () => Promise.reject(new Error('no commit'))),
            /no commit/,
        );
        assert.equal(await redis.exists(keys), 1);
    });
});

describe('without Redis', () => {
    it('the commit is made all the same, and the caller is told to repeat it', async (t) => {
        const { target } = newTarget();
        let commits = 0;
        const ending = marksWithoutRedis(t).refuseAnd(target, async () => ++commits);
        await assert.rejects(ending, {
            kind: 'unavailable',
            detail: 'It is ended, but not yet known everywhere. Repeat the call to make sure.',
            retry_after: 1,
        });
        assert.equal(commits, 1);
    });

    it('the failure is given to whoever sets marks within a transaction, with its cause', async (t) => {
        const failure = await marksWithoutRedis(t).refuse(newTarget().target);
        assert.equal(failure?.kind, 'unavailable');
        assert.ok(failure.cause instanceof Error);
    });
});

it('the trace of a call shows its marks, and which could not be set', async (t) => {
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
    const mark = { name: 'refused_mark', kind: 3, system: 'redis' }; // 3 is OTLP's number of a client's span
    assert.deepEqual(
        found,
        [false, false, true].map((failed) => ({ ...mark, failed })),
    );
});
