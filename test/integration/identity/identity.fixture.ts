import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { Client } from 'pg';
import { guard } from '../../../platform/access/guard.ts';
import { type LivenessMarks, livenessMarkKey, livenessMarks } from '../../../platform/access/liveness-marks.ts';
import type { RequestCounts } from '../../../platform/access/request-counts.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import type { ErasedServices } from '../../../services/identity/erasure/erased-services.ts';
import { identityService } from '../../../services/identity/service.ts';
import { identityStore } from '../../../services/identity/store.ts';
import { type SessionIssuer, tokens } from '../../../services/identity/tokens.ts';
import type { Quota } from '../../../services/quotas.ts';
import { type PasswordPoolOptions, passwordPool } from '../../../workers/crypto/passwords.ts';
import { poolMetrics } from '../../../workers/crypto/pool-metrics.ts';
import { testContext, testDatabase, testRedis } from '../../support/harness.ts';
import { UNCOUNTED } from '../../support/test-redis.ts';
import { AMPLE } from '../services/ample.ts';
import { testCursors } from '../services/reached.ts';
import { testIdempotency } from '../services/test-idempotency.ts';

export const SHARDS = 4;
export const ACCESS_SECONDS = 600;
export const REFRESH_SECONDS = 3_600;
/** A low Argon2id cost, so that the tests run fast. */
export const CHEAP = { memory_kib: 64, passes: 1 };

interface Replaced {
    cost?: PasswordPoolOptions['cost'];
    livenessMarks?: LivenessMarks;
    tokens?: SessionIssuer;
    sessionQuota?: Quota;
    requestCounts?: RequestCounts;
    keys?: ErasedServices['keys'];
    /** Called after each verification of a password. */
    verified?: () => Promise<void>;
}

export function signingKey(): string {
    return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Opens a transaction on a separate connection. It locks the rows that it writes until it commits. */
async function openTransaction(url: string) {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('BEGIN');
    return {
        query: (text: string, values: unknown[]) => client.query(text, values),
        async commit() {
            await client.query('COMMIT');
            await client.end();
        },
    };
}

/**
 * Resolves when a statement waits for a lock. It uses a separate connection, because all connections of the pool may be
 * waiting.
 */
async function untilBlocked(url: string): Promise<void> {
    const deadline = performance.now() + 5_000;
    const client = new Client({ connectionString: url });
    await client.connect();
    for (let waiting = 0; waiting === 0; ) {
        const { rowCount } = await client.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        waiting = rowCount ?? 0;
        if (performance.now() > deadline) throw new Error('no statement waits for a lock');
    }
    await client.end();
}

/** Builds the identity service on real stores. Its clock is ahead by `time.aheadMs`. */
export async function identityFixture({ cost = CHEAP }: { cost?: PasswordPoolOptions['cost'] } = {}) {
    const [{ db, url }, redis] = [await testDatabase(), await testRedis()];
    const time = { aheadMs: 0 };
    const clock = () => Date.now() + time.aheadMs;
    const keysPem = signingKey();
    const sessionVerifier = tokens({
        keysPem,
        accessSeconds: ACCESS_SECONDS,
        refreshSeconds: REFRESH_SECONDS,
        clock,
    });

    function build(replaced: Replaced = {}) {
        const passwords = passwordPool({
            threads: 2,
            cost: replaced.cost ?? cost,
            maxWaiting: 1_000,
            metrics: poolMetrics(createMetrics()),
        });
        after(() => passwords.close());
        const verify: typeof passwords.verify = async (...args) => {
            const verdict = await passwords.verify(...args);
            await replaced.verified?.();
            return verdict;
        };
        return identityService({
            store: identityStore(db),
            passwords: { ...passwords, verify },
            tokens: replaced.tokens ?? sessionVerifier,
            guard: guard({ redis, shards: SHARDS }),
            pepper: 'pepper',
            livenessMarks: replaced.livenessMarks ?? livenessMarks({ redis, shards: SHARDS }),
            idempotency: testIdempotency(db, clock)('identity'),
            requestCounts: replaced.requestCounts ?? UNCOUNTED,
            cursors: testCursors,
            sessionQuota: replaced.sessionQuota ?? AMPLE,
            keys: replaced.keys ?? { eraseAccount: async () => ({ done: true }) },
            clock,
        });
    }

    /** The account and the session that a token names. */
    function sessionOf(token: string): { account: string; session_id: string } {
        const verdict = sessionVerifier.verify(token, 'either');
        assert.ok('claims' in verdict);
        return { account: verdict.claims.sub, session_id: verdict.claims.sid };
    }

    /** The liveness mark of the session that a token names. */
    async function markOf(token: string): Promise<string | null> {
        const { account, session_id } = sessionOf(token);
        return redis.get(livenessMarkKey(shardTag(account, SHARDS), 'session', session_id));
    }

    return {
        db,
        redis,
        time,
        keysPem,
        tokens: sessionVerifier,
        identity: build(),
        build,
        sessionOf,
        markOf,
        openTransaction: () => openTransaction(url),
        untilBlocked: () => untilBlocked(url),
    };
}

type IdentityFixture = Awaited<ReturnType<typeof identityFixture>>;

export const PASSWORD = 'correct horse battery';

export function newEmail(): string {
    return `${randomUUID()}@example.org`;
}

/** Registers a new account and logs in. Both calls come from the same new address. */
export async function signedIn({ identity }: Pick<IdentityFixture, 'identity'>) {
    const email = newEmail();
    const context = testContext({ user_id: undefined, address: randomUUID() });
    await identity.register({ email, password: PASSWORD }, context);
    return login({ identity }, email, context);
}

export async function login({ identity }: Pick<IdentityFixture, 'identity'>, email: string, context = testContext()) {
    const { user, session } = await identity.login({ email, password: PASSWORD }, context);
    if (!user || !session) throw new Error('a login must return the user and the session');
    return { email, context, user, session };
}

/** For assert.rejects: checks that the error is an AppError of this kind. */
export function kind(expected: string) {
    return (error: unknown): boolean => Error.isError(error) && 'kind' in error && error.kind === expected;
}
