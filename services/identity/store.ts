import type { Database } from '../../platform/postgres/db.ts';
import { type SessionStore, sessionStore } from './sessions.store.ts';
import { type UserStore, userStore } from './users.store.ts';

export interface IdentityStore extends UserStore, SessionStore {
    /** Resolves when the database answers. */
    ping(): Promise<void>;
}

export function identityStore(db: Database): IdentityStore {
    return { ...userStore(db), ...sessionStore(db), ping: () => db.ping() };
}
