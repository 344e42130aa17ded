import { z } from 'zod';
import type { Coalescer } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, refusalCode, sql } from '../../platform/postgres/db.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import { TIERS } from '../../proto/tiers.ts';
import type { NewClaim, Outcome } from '../idempotency/claims.store.ts';
import { userInsertions } from './insert.store.ts';
import type { NewUserRow } from './rows.ts';

/** All times are ISO 8601 in UTC with milliseconds. */
export const userRow = z.strictObject({
    user_id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    tier: z.enum(TIERS),
    created_at: z.string(),
    last_login_at: z.string().nullable(),
    /** Null if the account is not suspended. */
    suspended_at: z.string().nullable(),
    /** Grows with each suspension and restoration. */
    suspension_version: z.number(),
});
export type UserRow = z.infer<typeof userRow>;

const passwordRow = userRow.extend({ password_hash: z.string(), password_version: z.number() });
export type PasswordRow = z.infer<typeof passwordRow>;

/** An undefined field stays as it is. If `name` is null, the name is removed. */
interface UserChange {
    user_id: string;
    email: string | undefined;
    name: string | null | undefined;
    now: string;
}

const updatedRow = z.strictObject({
    user_id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    updated_at: z.string(),
});
type UpdatedRow = z.infer<typeof updatedRow>;

export interface UserStore {
    /** Inserts the account. Resolves to false if the address is taken. */
    insertUser: Coalescer<NewUserRow, boolean>;
    /**
     * Claims an Idempotency-Key and inserts the account, unless an earlier call holds the claim. `refused`: the address is
     * taken, and there is no claim.
     */
    insertUserOnce: Coalescer<{ row: NewUserRow; claim: NewClaim }, Outcome>;
    findUser: Coalescer<string, UserRow | undefined>;
    /** Finds an account by its address. */
    findPassword: Coalescer<string, PasswordRow | undefined>;
    findPasswordOf(userId: string, lifetime?: CallLifetime): Promise<PasswordRow | undefined>;
    /**
     * Returns the updated account; `taken` if another account has the address, undefined if the account does not exist.
     */
    updateUser(change: UserChange, lifetime?: CallLifetime): Promise<UpdatedRow | 'taken' | undefined>;
}

export function userStore(db: Database): UserStore {
    return {
        ...userInsertions(db),
        findUser: rowLookup(db, {
            name: 'user_find',
            statement: 'users_find',
            keyOf: ({ user_id }) => user_id,
            query: (ids: string[]) => sql.type(userRow)`
                SELECT ${USER_COLUMNS} FROM identity.users u WHERE u.user_id = ANY(${sql.array(ids, 'uuid')})`,
        }),
        findPassword: rowLookup(db, {
            name: 'password_find',
            statement: 'passwords_find',
            keyOf: ({ email }) => email,
            query: (emails: string[]) => sql.type(passwordRow)`
                SELECT ${PASSWORD_COLUMNS} FROM identity.users u WHERE u.email = ANY(${sql.array(emails, 'text')})`,
        }),
        findPasswordOf: (userId, lifetime) => findPasswordOf(db, userId, lifetime),
        updateUser: (change, lifetime) => updateUser(db, change, lifetime),
    };
}

/** Finds the accounts that have one of these forms of an address, in the order of the forms. */
export async function accountsOf(
    store: Pick<UserStore, 'findPassword'>,
    forms: string[],
    lifetime: CallLifetime,
): Promise<PasswordRow[]> {
    const found = await Promise.all(forms.map((form) => store.findPassword(form, lifetime)));
    return found.filter((account) => account !== undefined);
}

export const USER_COLUMNS = sql.fragment`
    u.user_id, u.email, u.name, u.tier, u.created_at, u.last_login_at, u.suspended_at, u.suspension_version`;

const PASSWORD_COLUMNS = sql.fragment`${USER_COLUMNS}, u.password_hash, u.password_version`;

async function findPasswordOf(db: Database, userId: string, lifetime?: CallLifetime): Promise<PasswordRow | undefined> {
    const statement = sql.type(passwordRow)`
        SELECT ${PASSWORD_COLUMNS} FROM identity.users u WHERE u.user_id = ${userId}`;
    const [row] = await db.rows(statement, 'own_password_find', lifetime);
    return row;
}

/**
 * SQLSTATEs which mean that another account has the address: its row exists (23505), or two accounts were taking each
 * other's address and deadlocked (40P01).
 */
const TAKEN = ['23505', '40P01'];

async function updateUser(
    db: Database,
    change: UserChange,
    lifetime?: CallLifetime,
): Promise<UpdatedRow | 'taken' | undefined> {
    const { user_id, email, name, now } = change;
    const changes = [
        email === undefined ? [] : sql.fragment`email = ${email}`,
        name === undefined ? [] : sql.fragment`name = ${name}`,
    ].flat();
    const columns = sql.fragment`user_id, email, name, updated_at`;
    const statement =
        changes.length === 0
            ? sql.type(updatedRow)`SELECT ${columns} FROM identity.users WHERE user_id = ${user_id}`
            : sql.type(updatedRow)`
                UPDATE identity.users SET updated_at = ${now}, ${sql.join(changes, sql.fragment`, `)}
                WHERE user_id = ${user_id}
                RETURNING ${columns}`;
    try {
        const [row] = await db.rows(statement, 'user_update', lifetime);
        return row;
    } catch (error) {
        if (TAKEN.includes(refusalCode(error) ?? '')) return 'taken';
        throw error;
    }
}
