import type { CallLifetime } from '../../platform/context.ts';
import { databaseTime } from '../../platform/postgres/clock-offset.store.ts';
import type { Database } from '../../platform/postgres/db.ts';
import type { NewClaim, Outcome } from '../idempotency/claims.store.ts';
import { type DecidedErasure, decideErasure, removeAccount } from './erasure/erasures.store.ts';
import type { NewUserRow } from './rows.ts';
import { type ListedSession, listSessions, type SessionPage } from './session-list/list.store.ts';
import { type SessionStore, sessionStore } from './sessions.store.ts';
import { type SuspensionChange, type SuspensionRow, setSuspension } from './suspension/suspend.store.ts';
import { accountsOf, type UserStore, userStore } from './users.store.ts';

export interface IdentityStore extends UserStore, SessionStore {
    setSuspension(change: SuspensionChange, lifetime?: CallLifetime): Promise<SuspensionRow | undefined>;
    listSessions(page: SessionPage, lifetime?: CallLifetime): Promise<readonly ListedSession[]>;
    /** See erasures.store.ts. */
    decideErasure(erasure: DecidedErasure, lifetime?: CallLifetime): Promise<boolean>;
    /** See erasures.store.ts. */
    removeAccount(
        account: Pick<DecidedErasure, 'user_id' | 'now'>,
        beforeCommit: (sessions: string[]) => Promise<void>,
        lifetime?: CallLifetime,
    ): Promise<boolean>;
    /** The time of the database's clock, in milliseconds since 1970. */
    now(): Promise<number>;
    /** Resolves when the database answers. */
    ping(): Promise<void>;
}

export function identityStore(db: Database): IdentityStore {
    return {
        ...userStore(db),
        ...sessionStore(db),
        setSuspension: (change, lifetime) => setSuspension(db, change, lifetime),
        listSessions: (page, lifetime) => listSessions(db, page, lifetime),
        decideErasure: (erasure, lifetime) => decideErasure(db, erasure, lifetime),
        removeAccount: (account, beforeCommit, lifetime) => removeAccount(db, account, beforeCommit, lifetime),
        now: () => databaseTime(db),
        ping: () => db.ping(),
    };
}

/**
 * Inserts an account, with the claim of an Idempotency-Key if there is one. It is refused if an account has its address
 * in the new form or in one of `oldForms`.
 */
export async function insertUser(
    store: UserStore,
    { row, oldForms, claim }: { row: NewUserRow; oldForms: string[]; claim: NewClaim | undefined },
    lifetime: CallLifetime,
): Promise<Outcome> {
    // The insertion itself finds an account with the new form: it may be that of an equal call that holds the claim.
    if ((await accountsOf(store, oldForms, lifetime)).length > 0) return 'refused';
    if (claim) return store.insertUserOnce({ row, claim }, lifetime);
    return (await store.insertUser(row, lifetime)) ? 'written' : 'refused';
}
