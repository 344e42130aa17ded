import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, it } from 'node:test';
import { z } from 'zod';
import { addressBucket, keyBucket } from '../../../../platform/access/buckets.ts';
import { guard } from '../../../../platform/access/guard.ts';
import { limiter } from '../../../../platform/access/limiter.ts';
import { livenessMarkKey, livenessMarks } from '../../../../platform/access/liveness-marks.ts';
import { requestCounts } from '../../../../platform/access/request-counts.ts';
import { sql } from '../../../../platform/postgres/db.ts';
import { loadConfig } from '../../../../platform/process/config.ts';
import { shardTag } from '../../../../platform/redis/redis.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { DidServiceDefinition } from '../../../../proto/gen/did/v1/did.ts';
import { findDrift } from '../../../../services/counts/drift.store.ts';
import { ONE_PART } from '../../../../services/credentials/parts/part-map.ts';
import { didService } from '../../../../services/did/service.ts';
import { didStore } from '../../../../services/did/store.ts';
import { eventsService } from '../../../../services/events/service.ts';
import { eventsStore } from '../../../../services/events/store.ts';
import { identityService } from '../../../../services/identity/service.ts';
import { identityStore } from '../../../../services/identity/store.ts';
import { tokens } from '../../../../services/identity/tokens.ts';
import { SERVICES } from '../../../../services/index.ts';
import type { ServiceDependencies } from '../../../../services/service.ts';
import { usageService } from '../../../../services/usage/service.ts';
import { usageStore } from '../../../../services/usage/store.ts';
import { usageCounts } from '../../../../services/usage/usage-counts.ts';
import { passwordPool } from '../../../../workers/crypto/passwords.ts';
import { poolMetrics } from '../../../../workers/crypto/pool-metrics.ts';
import { signaturePool } from '../../../../workers/crypto/signatures.ts';
import { signingKey } from '../../../integration/identity/identity.fixture.ts';
import { age, ageTotals } from '../../../integration/services/ageing.ts';
import { AMPLE, NO_QUOTA } from '../../../integration/services/ample.ts';
import { reached, testCursors } from '../../../integration/services/reached.ts';
import { testIdempotency } from '../../../integration/services/test-idempotency.ts';
import { testSigning } from '../../../integration/signing/signing.fixture.ts';
import { quiet, testContext, testDatabase, testRedis } from '../../../support/harness.ts';
import { confirmedAt } from '../../../support/test-redis.ts';

const SHARDS = 2;
const PASSWORD = 'correct horse battery';
/** Days by which the records age after each day of traffic. */
const STEP_DAYS = 10;
const STEPS_PER_MONTH = 3;
/** Longer than any record is kept: at most 90 days, for addresses that have succeeded. */
const HORIZON_STEPS = 12;

const { db } = await testDatabase();
const redis = await testRedis();

const signatures = signaturePool({ threads: 1, metrics: poolMetrics(createMetrics()) });
const passwords = passwordPool({
    threads: 2,
    cost: { memory_kib: 64, passes: 1 },
    maxWaiting: 100,
    metrics: poolMetrics(createMetrics()),
});
after(() => Promise.all([signatures.close(), passwords.close()]));

const keysPem = signingKey();
const limits = limiter({ redis, shards: SHARDS, windowMs: 60_000, log: quiet, metrics: createMetrics() });
const usage = usageService({ store: usageStore(db), counts: usageCounts(() => [db]), clock: Date.now });
const counts = requestCounts({
    record: (batch) => usage.recordRequests(batch, testContext({ trusted: true })),
    clock: Date.now,
    log: quiet,
    metrics: createMetrics(),
});
const idempotency = testIdempotency(db);
/** The services that jobs call. No other is called, because no credential has a place on a status list. */
const called = {
    events: eventsService({ store: eventsStore(db) }),
    signing: testSigning(db, {
        did: reached(
            DidServiceDefinition,
            didService({
                store: didStore(db),
                signatures,
                quota: NO_QUOTA,
                idempotency: idempotency('did'),
                clock: Date.now,
            }),
        ),
        signatures,
        idempotency: idempotency('signing'),
        clock: Date.now,
    }),
};
const ground: ServiceDependencies = {
    config: loadConfig({ REDIS_SHARDS: String(SHARDS), JWT_KEYS: keysPem }),
    db,
    databasesOf: () => [db],
    credentialParts: ONE_PART,
    redis,
    log: quiet,
    metrics: createMetrics(),
    addCheck: () => {},
    clock: Date.now,
    limiter: () => limits,
    requestCounts: () => counts,
    signatures: () => signatures,
    passwords: () => passwords,
    serviceClient: (role) => called[role as keyof typeof called] as never,
    idempotency,
};
const jobs = Object.values(SERVICES).flatMap((service) => Object.values(service.jobs?.(ground) ?? {}));

const ended = livenessMarks({ redis, shards: SHARDS });
const identity = identityService({
    store: identityStore(db),
    passwords,
    tokens: tokens({ keysPem, accessSeconds: 43_200, refreshSeconds: 30 * 86_400, clock: Date.now }),
    guard: guard({ redis, shards: SHARDS }),
    pepper: 'pepper',
    livenessMarks: ended,
    idempotency: idempotency('identity'),
    requestCounts: counts,
    cursors: testCursors,
    sessionQuota: AMPLE,
    keys: { eraseAccount: async () => ({ done: true }) },
    clock: Date.now,
});
const dids = didStore(db);

/** Creates an account with a key and a session. Returns a function that makes the traffic of one day. */
async function newUser() {
    const [email, keyId] = [`${randomUUID()}@example.org`, randomUUID()];
    const login = async (address: string, password = PASSWORD) => {
        const { session } = await identity.login({ email, password }, testContext({ user_id: undefined, address }));
        assert.ok(session);
        return session;
    };
    const { user_id } = await identity.register({ email, password: PASSWORD }, testContext({ user_id: undefined }));
    let { refresh_token } = await login('at home');

    /** One day: logins and wrong passwords from several addresses, a refresh, calls, a revocation and a new DID. */
    return async (): Promise<void> => {
        const { token } = await login(randomUUID());
        await identity.logout({ token }, testContext());
        await login('at home');
        for (const address of ['at home', randomUUID()]) await assert.rejects(login(address, 'a wrong password'));
        ({ refresh_token } = await identity.refresh({ refresh_token }, testContext()));
        const tag = shardTag(user_id, SHARDS);
        const mark = livenessMarkKey(tag, 'key', keyId);
        const claim = { tag, bucket: keyBucket(tag, user_id, keyId), mark, limit: 3 };
        for (let call = 0; call < 5; call++) await limits.take(claim, confirmedAt(performance.now()));
        counts.admitted({ user_id, key_id: keyId }, 3);
        counts.refused({ user_id, key_id: keyId });
        counts.verifiedPresentation({ user_id });
        await ended.refuse({ account: user_id, subject: 'key', ids: [randomUUID()] });
        for (const what of ['calls', 'lookups'] as const) {
            await limits.take({ tag, bucket: addressBucket(tag, what, randomUUID()), limit: 10 });
        }
        await dids.insert({
            did: `did:test:${randomUUID()}`,
            public_key: new Uint8Array(32),
            account: user_id,
            origin: 'generated',
        });
    };
}

const BOUNDED = [
    'usage.deltas',
    'usage.totals',
    'did.deltas',
    'did.totals',
    'usage.days',
    'usage.keys',
    'usage.batches',
    'identity.sessions',
    'identity.spent_refreshes',
    'identity.outbox',
];

/** The sizes that must not grow: rows by table, and the number and bytes of the Redis keys. */
async function sizes() {
    const rows = await Promise.all(
        BOUNDED.map(async (table) => {
            const [count] = await db.rows(
                sql.type(
                    z.strictObject({ rows: z.number() }),
                )`SELECT count(*) AS rows FROM ${sql.identifier(table.split('.'))}`,
            );
            return [table, count?.rows] as const;
        }),
    );
    const keys = await redis.keys('*');
    const bytes = await Promise.all(keys.map((key) => redis.memory('USAGE', key)));
    const timeless = await Promise.all(keys.map(async (key) => ((await redis.pttl(key)) === -1 ? 1 : 0)));
    return {
        tables: Object.fromEntries(rows),
        keys: keys.length,
        keysWithoutEnd: timeless.reduce<number>((sum, one) => sum + one, 0),
        bytes: bytes.reduce<number>((sum, size) => sum + (size ?? 0), 0),
    };
}

it('after months of the same traffic, tables and Redis have not grown, and the counts are right', async () => {
    await redis.flushdb();
    const users = await Promise.all(Array.from({ length: 3 }, newUser));
    const seen: Array<Awaited<ReturnType<typeof sizes>>> = [];
    for (let step = 1; step <= 2 * HORIZON_STEPS; step++) {
        await Promise.all(users.map((liveOneDay) => liveOneDay()));
        await counts.stop(); // sends the counts
        for (const job of jobs) await job.run();
        seen.push(await sizes());
        await age(db, redis, STEP_DAYS);
        if (step % STEPS_PER_MONTH === 0) await ageTotals(db);
    }
    const [half, end] = [seen[HORIZON_STEPS - 1], seen.at(-1)];
    assert.ok(half && end);
    assert.deepEqual({ ...end, bytes: 0 }, { ...half, bytes: 0 });
    assert.ok(end.bytes <= 1.05 * half.bytes, `${half.bytes} bytes in Redis, then ${end.bytes}`);
    assert.deepEqual([end.tables['usage.deltas'], end.tables['did.deltas']], [0, 0]);
    assert.ok(end.keysWithoutEnd <= SHARDS, 'every key expires, except the epoch of each shard');
    assert.deepEqual(await findDrift(() => [db]), []);
});
