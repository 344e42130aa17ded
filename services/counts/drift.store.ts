import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { type CountedIn, PLATFORM } from './counts.store.ts';
import { ERASED_SUBJECT } from './erased-subject.ts';
import { type Counting, deltasOf, totalsOf } from './pending.store.ts';

/** The account that a credential counts for. */
const COUNTED_FOR = sql.fragment`CASE WHEN subject <> ${ERASED_SUBJECT} THEN account END`;

/** The rows that a service counts: for each account (NULL: the platform only) and kind, how many there are. */
const ROWS: Record<Exclude<Counting, 'usage'>, ReturnType<typeof sql.fragment>> = {
    identity: sql.fragment`
        SELECT NULL::uuid AS account, 'users_' || tier AS kind, count(*) AS rows FROM identity.users GROUP BY tier`,
    keys: sql.fragment`
        SELECT account, 'api_keys_active' AS kind, count(*) AS rows FROM keys.keys
        WHERE revoked_at IS NULL AND counted GROUP BY account`,
    did: sql.fragment`
        SELECT account, 'dids_created' AS kind, count(*) AS rows FROM did.dids WHERE origin <> 'wallet' GROUP BY account`,
    credentials: sql.fragment`
        SELECT ${COUNTED_FOR} AS account, 'credentials_issued' AS kind, count(*) AS rows
        FROM credentials.credentials GROUP BY 1
        UNION ALL
        SELECT ${COUNTED_FOR}, 'credentials_revoked', count(*) FROM credentials.credentials
        WHERE revoked_at IS NOT NULL GROUP BY 1`,
    presentations: sql.fragment`
        SELECT account, 'presentations_created' AS kind, count(*) AS rows FROM presentations.presentations
        GROUP BY account`,
    wallet: sql.fragment`
        SELECT account, 'wallets' AS kind, count(*) AS rows FROM wallet.wallets GROUP BY account
        UNION ALL
        SELECT account, 'wallet_credentials', count(*)
        FROM wallet.credentials AS entries JOIN wallet.wallets ON wallets.id = entries.wallet GROUP BY account
        UNION ALL
        SELECT account, 'wallet_bytes', sum(octet_length(sealed))
        FROM wallet.credentials AS entries JOIN wallet.wallets ON wallets.id = entries.wallet GROUP BY account`,
};

const SERVICES = Object.keys(ROWS) as Array<keyof typeof ROWS>; // its own keys

/** A count that differs from the number of rows that it should equal. */
const drift = z.strictObject({ account: z.string(), kind: z.string(), counted: z.number(), rows: z.number() });
type Drift = z.infer<typeof drift>;

/**
 * Counts all rows behind the counts, and returns the differences: there are none unless something is broken, or two
 * releases have run beside each other. `repair`: also corrects the counts, by pending counts of this month. It reads whole
 * tables, which takes long if they are large.
 */
export async function findDrift(countedIn: CountedIn, { repair = false } = {}): Promise<readonly Drift[]> {
    const drift = [];
    for (const service of SERVICES)
        for (const db of countedIn(service)) drift.push(...(await driftOf(service, db, repair)));
    return drift;
}

/** The rows and the counts are read in one snapshot. */
function driftOf(service: keyof typeof ROWS, db: Database, repair: boolean): Promise<readonly Drift[]> {
    // Pending counts of an account count for the platform, too. So only what is missing without an account is added there.
    const corrected = sql.fragment`, corrected AS (
            INSERT INTO ${deltasOf(service)} (account, kind, day, amount)
            SELECT account, kind, (now() AT TIME ZONE 'UTC')::date, rows - counted FROM drift WHERE account <> ${PLATFORM}
            UNION ALL
            SELECT NULL, kind, (now() AT TIME ZONE 'UTC')::date,
                   sum(CASE WHEN account = ${PLATFORM} THEN rows - counted ELSE counted - rows END)
            FROM drift GROUP BY kind
        )`;
    return db.rows(sql.type(drift)`
        WITH owned AS (${ROWS[service]}), expected AS (
            SELECT account, kind, rows FROM owned WHERE account IS NOT NULL
            UNION ALL
            SELECT ${PLATFORM}::uuid, kind, sum(rows) FROM owned GROUP BY kind
        ), parts AS (
            SELECT account, kind, amount FROM ${totalsOf(service)}
            UNION ALL
            SELECT account, kind, amount FROM ${deltasOf(service)} WHERE account IS NOT NULL
            UNION ALL
            SELECT ${PLATFORM}::uuid, kind, amount FROM ${deltasOf(service)}
        ), counted AS (
            SELECT account, kind, sum(amount) AS counted FROM parts GROUP BY account, kind
        ), drift AS (
            SELECT account, kind, coalesce(counted, 0)::bigint AS counted, coalesce(rows, 0)::bigint AS rows
            FROM expected FULL JOIN counted USING (account, kind)
            WHERE coalesce(counted, 0) <> coalesce(rows, 0)
        ) ${repair ? corrected : sql.fragment``}
        SELECT account, kind, counted, rows FROM drift ORDER BY kind, account`);
}
