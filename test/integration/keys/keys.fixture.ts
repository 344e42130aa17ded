import assert from 'node:assert/strict';
import { z } from 'zod';
import { parseApiKey } from '../../../platform/access/api-key.ts';
import { type LivenessMarks, livenessMarks } from '../../../platform/access/liveness-marks.ts';
import type { RequestCounts } from '../../../platform/access/request-counts.ts';
import type { CallContext } from '../../../platform/context.ts';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import type { Redis } from '../../../platform/redis/redis.ts';
import type { GenerateRequest, RestrictRequest } from '../../../proto/gen/keys/v1/keys.ts';
import { cursors } from '../../../services/cursors.ts';
import type { KeyPolicy } from '../../../services/keys/generate.ts';
import { keysService } from '../../../services/keys/service.ts';
import { keyStore } from '../../../services/keys/store.ts';
import { testContext, testDatabase, testRedis } from '../../support/harness.ts';
import { testLimiter, UNCOUNTED } from '../../support/test-redis.ts';
import { testIdempotency } from '../services/test-idempotency.ts';

export const SHARDS = 4;
export const POLICY: KeyPolicy = {
    brand: 'cred',
    environment: 'test',
    tierPolicy: 'any',
    keyLimits: { free: 20, basic: 50, pro: 200, enterprise: 1_000 },
    keyQuota: { free: 1_000, basic: 1_000, pro: 1_000, enterprise: 1_000 },
    windowMs: 60_000,
};

/** What a request contains if it changes no restrictions. */
const NO_GENERATED = { scopes: [], allowed_addresses: [] };
const NO_CHANGE = {
    ...NO_GENERATED,
    clear_expires_at: false,
    clear_scopes: false,
    clear_allowed_addresses: false,
};

interface Stores {
    db: Database;
    redis: Redis;
    /** Milliseconds since 1970. */
    clock?: () => number;
    requestCounts?: RequestCounts;
    marks?: LivenessMarks;
}

/**
 * Builds the keys service on these stores. Its policy is POLICY with these changes. Requests may leave out what is empty.
 */
export function buildKeys(
    {
        db,
        redis,
        clock = Date.now,
        requestCounts = UNCOUNTED,
        marks = livenessMarks({ redis, shards: SHARDS }),
    }: Stores,
    changed: Partial<KeyPolicy> = {},
) {
    const service = keysService({
        store: keyStore(db),
        livenessMarks: marks,
        limiter: testLimiter({ redis, shards: SHARDS }),
        requestCounts,
        cursors: cursors(['the service token of these tests']),
        idempotency: testIdempotency(db)('keys'),
        policy: { ...POLICY, ...changed },
        clock,
    });
    return {
        ...service,
        generate: (request: Partial<GenerateRequest> & { name: string }, context: CallContext) =>
            service.generate({ ...NO_GENERATED, ...request }, context),
        restrict: (request: Partial<RestrictRequest> & { key_id: string }, context: CallContext) =>
            service.restrict({ ...NO_CHANGE, ...request }, context),
        authenticate: (request: { hash: Uint8Array; enforces_restrictions?: boolean }, context: CallContext) =>
            service.authenticate({ enforces_restrictions: true, ...request }, context),
    };
}

/** Builds the keys service on real stores. */
export async function keysFixture() {
    const [{ db, url }, redis] = [await testDatabase(), await testRedis()];
    const build = (changed: Partial<KeyPolicy> = {}, clock?: () => number) =>
        buildKeys({ db, redis, ...(clock && { clock }) }, changed);
    const keys = build();

    async function authenticate(apiKey: string) {
        const parsed = parseApiKey(apiKey, POLICY);
        assert.ok(parsed);
        return keys.authenticate(parsed, testContext({ user_id: undefined }));
    }

    async function activeByDeltas(context: CallContext): Promise<number | null> {
        const [row] = await db.rows(sql.type(z.strictObject({ active: z.string().nullable() }))`
            SELECT sum(amount)::text AS active FROM keys.deltas
            WHERE account = ${context.user_id ?? null} AND kind = 'api_keys_active'`);
        return row?.active ? Number(row.active) : null;
    }

    return { db, url, redis, build, keys, authenticate, activeByDeltas };
}
