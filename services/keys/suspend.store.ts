import { z } from 'zod';
import type { Version } from '../../platform/access/liveness-marks.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import { lockAccount } from './places.store.ts';
import { type OwnKey, versionRow } from './rows.ts';

interface SuspensionChange {
    account: string;
    suspended: boolean;
    /** A change with a lower version than the account has changes nothing. */
    version: number;
}

/** The version of the suspension of an erased account. No restoration has it. */
export const ERASED_VERSION = 2_147_483_647;

/**
 * Suspends the keys of an account, or restores them. A suspension gives each of its keys the next version. Returns these
 * versions. A key that is created or replaced meanwhile either has been inserted before and is among them, or is inserted
 * afterwards, and no gateway has been told that it works.
 */
export function setSuspension(
    db: Database,
    { account, suspended, version }: SuspensionChange,
    lifetime?: CallLifetime,
): Promise<readonly Version[]> {
    const work = async (transaction: Queries): Promise<readonly Version[]> => {
        await transaction.rows(sql.unsafe`
            INSERT INTO keys.accounts (account, active_keys) VALUES (${account}, 0) ON CONFLICT DO NOTHING`);
        await lockAccount(transaction, account);
        const changed = await transaction.rows(sql.unsafe`
            UPDATE keys.accounts SET suspended = ${suspended}, suspension_version = ${version}
            WHERE account = ${account} AND suspension_version <= ${version} RETURNING account`);
        if (changed.length === 0 || !suspended) return [];
        return transaction.rows(sql.type(versionRow)`
            UPDATE keys.keys SET version = version + 1 WHERE account = ${account} AND revoked_at IS NULL
            RETURNING key_id AS id, version`);
    };
    return db.transaction(work, 'keys_suspend', lifetime);
}

/** Whether a key may act: what ends it, what it may do, and whether its account is suspended. */
const standingRow = z.strictObject({
    key_id: z.string(),
    account: z.string(),
    revoked_at: z.string().nullable(),
    expires_at: z.string().nullable(),
    scopes: z.array(z.string()).nullable(),
    suspended: z.boolean(),
});
type Standing = z.infer<typeof standingRow>;

/** Returns a function that reads what a key of an account may do, in one statement for many callers. */
export function standings(db: Database): (own: OwnKey, lifetime?: CallLifetime) => Promise<Standing | undefined> {
    const find = rowLookup(db, {
        name: 'keys_standing',
        statement: 'keys_standing',
        maxInFlight: 1,
        keyOf: ({ key_id }) => key_id,
        query: (ids: string[]) => sql.type(standingRow)`
            SELECT key_id, account, revoked_at, expires_at, scopes, coalesce(suspended, false) AS suspended
            FROM keys.keys LEFT JOIN keys.accounts USING (account) WHERE key_id = ANY(${sql.array(ids, 'uuid')})`,
    });
    return async ({ account, key_id }, lifetime) => {
        const row = await find(key_id, lifetime);
        return row?.account === account ? row : undefined;
    };
}

const suspendedRow = z.strictObject({ account: z.string(), suspended: z.boolean() });

/**
 * Returns a function that finds out whether an account is suspended. One that has never had a key has no row here, unless
 * it is.
 */
export function suspensions(db: Database): (account: string, lifetime?: CallLifetime) => Promise<boolean> {
    const find = rowLookup(db, {
        name: 'keys_suspended',
        statement: 'keys_suspended',
        keyOf: ({ account }) => account,
        query: (accounts: string[]) => sql.type(suspendedRow)`
            SELECT account, suspended FROM keys.accounts WHERE account = ANY(${sql.array(accounts, 'uuid')})`,
    });
    return async (account, lifetime) => (await find(account, lifetime))?.suspended ?? false;
}
