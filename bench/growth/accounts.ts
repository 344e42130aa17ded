import type { Client } from 'pg';
import { makeApiKey } from '../../platform/access/api-key.ts';
import { newId } from '../../platform/ids.ts';
import { tokens } from '../../services/identity/tokens.ts';
import { times } from '../jobs/job.ts';
import type { Account } from '../world.ts';

/** API keys and sessions that one account has at least, so that a single one may make as many calls as many. */
const CALLERS = 64;
const TIER = 'enterprise';
/** What KEY_BRAND and KEY_ENVIRONMENT are unless they are set. */
const KEY_FORMAT = { brand: 'cred', environment: 'test' } as const;
const DAY_S = 86_400;

interface NewAccount extends Account {
    session_id: string;
    refresh_id: string;
    hash: Buffer;
    mask: string;
}

/**
 * Writes accounts past the service, each with a session and an API key: 10,000 password hashes would take minutes. Gives
 * callers: of few accounts several for each.
 */
export async function insertAccounts(db: Client, count: number, jwt_key: string): Promise<Account[]> {
    const { issue } = tokens({
        keys_pem: jwt_key,
        access_seconds: DAY_S,
        refresh_seconds: DAY_S,
        clock: Date.now,
    });
    const user_ids = times(count, newId);
    const callers = times(Math.max(count, CALLERS), (index): NewAccount => {
        const user_id = user_ids[index % count] as string; // there are so many
        const email = `${user_id}@bench.example`;
        const session_id = newId();
        const { token, refresh_id } = issue({ user_id, email, tier: TIER, session_id });
        return { user_id, email, token, session_id, refresh_id, ...makeApiKey(KEY_FORMAT) };
    });
    await insertUsers(db, user_ids);
    await insertSessions(db, callers);
    await insertKeys(db, callers);
    return callers;
}

async function insertUsers(db: Client, user_ids: readonly string[]): Promise<void> {
    await db.query(
        `INSERT INTO identity.users (user_id, email, tier, password_hash, created_at, updated_at)
         SELECT user_id, user_id || '@bench.example', $2, 'nobody logs in', now(), now() FROM unnest($1::uuid[]) AS new (user_id)`,
        [user_ids, TIER],
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
