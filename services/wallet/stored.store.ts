import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import type { Traced } from '../../platform/telemetry/span.ts';

/** What an account stores. */
export interface Stored {
    wallets: number;
    /** In all of its wallets. */
    credentials: number;
    /** The size of these credentials, sealed. */
    bytes: number;
}

/** Throws if what an account stores, including what is being written, is too much. */
export type Check = (stored: Stored) => void;

/**
 * Writes for an account in a transaction that `check` may undo. The triggers have counted what is written on the
 * account's row, so each of several transactions sees what those before it have written.
 */
export function checked<Result>(
    db: Database,
    {
        account,
        check,
        name,
        traced,
    }: { account: string | null; check: Check; name: string; traced: Traced | undefined },
    write: (queries: Queries) => Promise<Result>,
): Promise<Result> {
    const work = async (queries: Queries): Promise<Result> => {
        const result = await write(queries);
        if (account !== null) check(await storedBy(account, queries.rows));
        return result;
    };
    return db.transaction(work, name, traced);
}

/** `rows` queries the database, or within a transaction. */
export async function storedBy(account: string, rows: Queries['rows']): Promise<Stored> {
    const [row] = await rows<Stored>(sql.unsafe`
        SELECT wallets, credentials, bytes FROM wallet.accounts WHERE account = ${account}`);
    return row ?? { wallets: 0, credentials: 0, bytes: 0 };
}
