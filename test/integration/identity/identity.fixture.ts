import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { Client } from 'pg';
import { guard } from '../../../platform/access/guard.ts';
import { type LivenessMarks, livenessMarks } from '../../../platform/access/liveness-marks.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { identityService } from '../../../services/identity/service.ts';
import { identityStore } from '../../../services/identity/store.ts';
import { type SessionIssuer, tokens } from '../../../services/identity/tokens.ts';
import type { Quota } from '../../../services/quotas.ts';
import { type PasswordPoolOptions, passwordPool } from '../../../workers/crypto/passwords.ts';
import { poolMetrics } from '../../../workers/crypto/pool-metrics.ts';
import { quiet, testContext, testDatabase, testRedis } from '../../support/harness.ts';
import { AMPLE } from '../services/ample.ts';

export const SHARDS = 4;
export const ACCESS_SECONDS = 600;
export const REFRESH_SECONDS = 3_600;
/** Cheap, so that tests are about the rules. */
export const CHEAP = { memory_kib: 64, passes: 1 };

interface Replaced {
    cost?: PasswordPoolOptions['cost'];
    livenessMarks?: LivenessMarks;
    tokens?: SessionIssuer;
    session_quota?: Quota;
}

export function signingKey(): string {
    return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The identity service on real stores, its clock shifted by `time.ahead_ms`. */
export async function identityFixture({ cost = CHEAP }: { cost?: PasswordPoolOptions['cost'] } = {}) {
    const [{ db, url }, redis] = [await testDatabase(), await testRedis()];
    const time = { ahead_ms: 0 };
    const clock = () => Date.now() + time.ahead_ms;
    const keys_pem = signingKey();
    const session_tokens = tokens({
        keys_pem,
        access_seconds: ACCESS_SECONDS,
        refresh_seconds: REFRESH_SECONDS,
        clock,
    });

    function build(replaced: Replaced = {}) {
        const passwords = passwordPool({
            threads: 2,
            cost: replaced.cost ?? cost,
            max_waiting: 1_000,
            metrics: poolMetrics(createMetrics()),
        });
        after(() => passwords.close());
        return identityService({
            store: identityStore(db),
            passwords,
            tokens: replaced.tokens ?? session_tokens,
            guard: guard({ redis, shards: SHARDS, log: quiet }),
            livenessMarks: replaced.livenessMarks ?? livenessMarks({ redis, shards: SHARDS }),
            session_quota: replaced.session_quota ?? AMPLE,
            clock,
        });
    }

    /** Another party's transaction: what it writes is locked, and nobody else's, until it commits. */
    async function openTransaction() {
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

    /** Until a statement waits for a lock. It looks over a connection of its own: all of the pool's may be the waiting ones. */
    async function untilBlocked(): Promise<void> {
        const deadline = performance.now() + 5_000;
        const client = new Client({ connectionString: url });
        await client.connect();
        for (let waiting = 0; waiting === 0; ) {
            const { rowCount } = await client.query(
                `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            );
            waiting = rowCount ?? 0;
            if (performance.now() > deadline) throw new Error('no statement waits');
        }
        await client.end();
    }

    return {
        db,
        redis,
        time,
        keys_pem,
        tokens: session_tokens,
        identity: build(),
        build,
        openTransaction,
        untilBlocked,
    };
}

export type IdentityFixture = Awaited<ReturnType<typeof identityFixture>>;

export const PASSWORD = 'correct horse battery';

export function newEmail(): string {
    return `${randomUUID()}@example.org`;
}

/** An account and a session on it; both calls come from an address of their own. */
export async function signedIn({ identity }: Pick<IdentityFixture, 'identity'>) {
    const email = newEmail();
    const context = testContext({ user_id: undefined, address: randomUUID() });
    await identity.register({ email, password: PASSWORD }, context);
    return login({ identity }, email, context);
}

export async function login({ identity }: Pick<IdentityFixture, 'identity'>, email: string, context = testContext()) {
    const { user, session } = await identity.login({ email, password: PASSWORD }, context);
    if (!user || !session) throw new Error('a login answers both');
    return { email, context, user, session };
}

/** For assert.rejects: an AppError of this kind. */
export function kind(expected: string) {
    return (error: unknown): boolean => Error.isError(error) && 'kind' in error && error.kind === expected;
}
