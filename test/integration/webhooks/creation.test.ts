import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import type { CallContext } from '../../../platform/context.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { removeDeleted } from '../../../services/webhooks/remove.store.ts';
import { webhooksService } from '../../../services/webhooks/service.ts';
import { webhooksStore } from '../../../services/webhooks/store.ts';
import { testContext } from '../../support/harness.ts';
import { testCursors } from '../services/reached.ts';
import { testIdempotency } from '../services/test-idempotency.ts';
import { startSigning } from '../signing/signing.fixture.ts';

const { db, signing } = await startSigning();
const store = webhooksStore(db);
const events = { getHeads: async () => ({ heads: [] }), listEvents: () => assert.fail('no events are read') };
const QUOTA = { free: 2, basic: 2, pro: 2, enterprise: 2 };

/** The service, with parts that a test has replaced. */
const build = (replaced: { store?: Partial<typeof store>; signing?: Partial<typeof signing> } = {}) =>
    webhooksService({
        store: { ...store, ...replaced.store },
        services: { events, signing: { ...signing, ...replaced.signing } },
        idempotency: testIdempotency(db, Date.now)('webhooks'),
        cursors: testCursors,
        isReachable: () => true,
        quota: QUOTA,
        clock: Date.now,
    });

const asked = { url: 'https://shop.example/hooks', types: [] };

const countRow = z.strictObject({ rows: z.number() });

/** How many endpoints and secrets there are, those of deleted endpoints included. */
async function stored({ user_id: account }: CallContext): Promise<number[]> {
    const own = sql.fragment`WHERE account = ${account ?? null}`;
    const counts = await Promise.all([
        db.rows(sql.type(countRow)`SELECT count(*) AS rows FROM webhooks.endpoints ${own}`),
        db.rows(sql.type(countRow)`SELECT count(*) AS rows FROM signing.webhook_secrets ${own}`),
    ]);
    return counts.map(([row]) => row?.rows ?? 0);
}

const runJob = (runMs?: number) =>
    removeDeleted(
        db,
        ({ id, account }) =>
            signing.eraseWebhookSecrets({ webhook_id: id }, testContext({ user_id: account, trusted: true })),
        runMs,
    );

const age = () => db.rows(sql.unsafe`UPDATE webhooks.endpoints SET created_at = created_at - interval '1 minute'`);

it('a creation that is cut off after its secret was made leaves nothing', async () => {
    const context = testContext();
    const cut = build({ store: { activate: () => Promise.reject(new Error('killed')) } });
    await assert.rejects(cut.create(asked, context), { message: 'killed' });
    assert.deepEqual(await stored(context), [1, 1]);
    assert.equal((await build().list({ limit: 10, with_total: true }, context)).total, 0);
    await age();
    await runJob();
    assert.deepEqual(await stored(context), [0, 0]);
});

it('a creation that the quota refuses at the last moment leaves nothing', async () => {
    const context = testContext();
    const blind = build({ store: { count: async () => 0 } });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => blind.create(asked, context)));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, QUOTA.free);
    assert.deepEqual(await stored(context), [4, 4]);
    await age();
    await runJob();
    assert.deepEqual(await stored(context), [2, 2]);
    assert.equal((await build().list({ limit: 10, with_total: true }, context)).webhooks.length, 2);
});

it('a creation that is under way when the job runs is completed', async () => {
    const context = testContext();
    const createWebhookSecret: typeof signing.createWebhookSecret = async (...call) => {
        const made = await signing.createWebhookSecret(...call);
        await runJob();
        return made;
    };
    const { webhook } = await build({ signing: { createWebhookSecret } }).create(asked, context);
    assert.deepEqual(await stored(context), [1, 1]);
    assert.equal(webhook?.state, 'active');
});

it('a creation that is under way when its account is erased does not become active', async () => {
    const context = testContext();
    const [stopEndpoints = assert.fail()] = store.erasure;
    const createWebhookSecret: typeof signing.createWebhookSecret = async (...call) => {
        const made = await signing.createWebhookSecret(...call);
        await stopEndpoints(context.user_id ?? '', context);
        return made;
    };
    const late = build({ signing: { createWebhookSecret } });
    await assert.rejects(late.create(asked, context), { kind: 'unavailable', reason: 'webhooks' });
    assert.equal(await store.count(context.user_id ?? '', context), 0);
});

it('a creation that takes longer than a call may take is refused', async () => {
    const context = testContext();
    const createWebhookSecret: typeof signing.createWebhookSecret = async (...call) => {
        const made = await signing.createWebhookSecret(...call);
        await age();
        await runJob();
        return made;
    };
    const late = build({ signing: { createWebhookSecret } });
    await assert.rejects(late.create(asked, context), { kind: 'unavailable', reason: 'webhooks' });
    assert.deepEqual(await stored(context), [0, 0]);
    assert.equal(await store.count(context.user_id ?? '', context), 0);
});

it('one run removes a bounded number of deliveries of a deleted webhook, and the next ones remove the rest', async () => {
    const context = testContext();
    const service = build();
    const created = [await service.create(asked, context), await service.create(asked, context)];
    const [many = assert.fail(), few = assert.fail()] = created
        .map(({ webhook }) => webhook?.webhook_id ?? assert.fail())
        .sort();
    for (const [id, count] of [
        [many, 2_500],
        [few, 10],
    ] as const) {
        await db.rows(sql.unsafe`
            INSERT INTO webhooks.deliveries (id, endpoint, event_id, type, body, state, created_at)
            SELECT gen_random_uuid(), ${id}::uuid, 'test', 'webhook.test', '', 'delivered', now()
            FROM generate_series(1, ${count}::int)`);
        await service.delete({ webhook_id: id }, context);
    }
    await age();
    const left = async () => {
        const [row] = await db.rows(sql.type(countRow)`
            SELECT count(*) AS rows FROM webhooks.deliveries WHERE endpoint = ANY(${sql.array([many, few], 'uuid')})`);
        return [row?.rows, ...(await stored(context))];
    };
    const runs = [];
    for (let run = 0; run < 3; run++) {
        await runJob(0);
        runs.push(await left());
    }
    assert.deepEqual(runs, [
        [1_500, 1, 0],
        [500, 1, 0],
        [0, 0, 0],
    ]);
});
