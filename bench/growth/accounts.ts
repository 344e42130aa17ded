import type { Client } from 'pg';
import { makeApiKey } from '../../platform/access/api-key.ts';
import { newId } from '../../platform/ids.ts';
import { tokens } from '../../services/identity/tokens.ts';
import { times } from '../jobs/job.ts';
import type { Account } from '../world.ts';

/**
 * Minimum number of callers, so that a single account can send the whole load. Each caller has an API key and a
 * session.
 */
const CALLERS = 64;
const TIER = 'enterprise';
/** The defaults of KEY_BRAND and KEY_ENVIRONMENT. */
const KEY_FORMAT = { brand: 'cred', environment: 'test' } as const;
const DAY_S = 86_400;

interface NewAccount extends Account {
    session_id: string;
    refresh_id: string;
    hash: Buffer;
    mask: string;
}

/**
 * Writes accounts directly to the database, each with a session and an API key, because 10,000 password hashes would
 * take minutes. Returns the callers. If there are few accounts, each has several callers.
 */
export async function insertAccounts(db: Client, count: number, jwtKey: string): Promise<Account[]> {
    const { issue } = tokens({
        keysPem: jwtKey,
        accessSeconds: DAY_S,
        refreshSeconds: DAY_S,
        clock: Date.now,
    });
    const userIds = times(count, newId);
    const callers = times(Math.max(count, CALLERS), (index): NewAccount => {
        const userId = userIds[index % count] as string; // there are `count` of them
        const email = `${userId}@bench.example`;
        const sessionId = newId();
        const { token, refresh_id } = issue({ user_id: userId, email, tier: TIER, session_id: sessionId });
        return { user_id: userId, email, token, session_id: sessionId, refresh_id, ...makeApiKey(KEY_FORMAT) };
    });
    await insertUsers(db, userIds);
    await insertSessions(db, callers);
    await insertKeys(db, callers);
    return callers;
}

async function insertUsers(db: Client, userIds: readonly string[]): Promise<void> {
    await db.query(
        `INSERT INTO identity.users (user_id, email, tier, password_hash, created_at, updated_at)
         SELECT user_id, user_id || '@bench.example', $2, 'nobody logs in', now(), now() FROM unnest($1::uuid[]) AS new (user_id)`,
        [userIds, TIER],
    );
}

async function insertSessions(db: Client, callers: readonly NewAccount[]): Promise<void> {
    await db.query(
        `INSERT INTO identity.sessions (session_id, user_id, refresh_id, created_at, expires_at)
         SELECT *, now(), now() + interval '1 day' FROM unnest($1::uuid[], $2::uuid[], $3::uuid[])`,
        [
            callers.map(({ session_id }) => session_id),
            callers.map(({ user_id }) => user_id),
            callers.map(({ refresh_id }) => refresh_id),
        ],
    );
}

async function insertKeys(db: Client, callers: readonly NewAccount[]): Promise<void> {
    await db.query(
        `INSERT INTO keys.keys (key_id, account, hash, mask, name, tier, created_at, updated_at)
         SELECT *, 'bench', $5, now(), now() FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::text[])`,
        [
            callers.map(() => newId()),
            callers.map(({ user_id }) => user_id),
            callers.map(({ hash }) => hash),
            callers.map(({ mask }) => mask),
            TIER,
        ],
    );
}
