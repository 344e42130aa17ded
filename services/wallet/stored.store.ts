import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';

/** What an account stores. */
export interface Stored {
    wallets: number;
    /** In all of its wallets. */
    credentials: number;
    /** The size of these credentials, sealed, in bytes. */
    bytes: number;
}

/** Throws if the account stores too much, including what is being written. */
export type Check = (stored: Stored) => void;

/**
 * Writes for an account in a transaction, and rolls it back if `check` throws. By then the triggers have counted the
 * writes on the account's row, so each of several transactions sees what those before it have written. A repeated call,
 * whose claim is `held`, has written nothing, so it is not checked.
 */
export function checked<Result>(
    db: Database,
    {
        account,
        check,
        name,
        lifetime,
    }: { account: string | null; check: Check; name: string; lifetime: CallLifetime | undefined },
    write: (queries: Queries) => Promise<Result | 'held'>,
): Promise<Result | 'held'> {
    const work = async (queries: Queries): Promise<Result | 'held'> => {
        const result = await write(queries);
        if (account !== null && result !== 'held') check(await storedBy(account, queries.rows));
        return result;
    };
    return db.transaction(work, name, lifetime);
}

/** Reads what an account stores. `rows` runs the query, either in a transaction or outside of one. */
export async function storedBy(account: string, rows: Queries['rows']): Promise<Stored> {
    const [row] = await rows<Stored>(sql.unsafe`
        SELECT wallets, credentials, bytes FROM wallet.accounts WHERE account = ${account}`);
    return row ?? { wallets: 0, credentials: 0, bytes: 0 };
}
