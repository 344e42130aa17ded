import type { Guard } from '../../platform/access/guard.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import {
    type CreatedUser,
    type CreateUsersRequest,
    type CreateUsersResponse,
    NewUser,
} from '../../proto/gen/identity/v1/identity.ts';
import { MAX_USERS } from '../../proto/limits.ts';
import type { Tier } from '../../proto/tiers.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import { type Claim, digestOf, type HeldClaim } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { type ClaimedItem, claimItems, noteItems, runItem } from '../idempotency/items.ts';
import { itemResults } from '../item-results.ts';
import { requireName } from '../texts.ts';
import { requireTier } from '../tiers.ts';
import { normaliseEmail, oldFormsOf, requireEmail } from './email.ts';
import { requireNewPassword } from './password-rules.ts';
import { confirmSamePassword } from './same-password.ts';
import { type IdentityStore, insertUser } from './store.ts';

/** Maximum number of hashes of one request that run or wait for a thread. Beyond it: the next user waits. */
const HASHES_IN_FLIGHT = 4;

/** An item that has passed all checks that do not need the store. */
interface Candidate {
    email: string;
    oldForms: string[];
    password: string;
    name: string | undefined;
    tier: Tier;
}

interface CreationDependencies {
    store: IdentityStore;
    passwords: Passwords;
    guard: Guard;
    idempotency: Idempotency;
    clock: () => number;
}

/**
 * Creates accounts in bulk. An invalid item does not affect the others. With an Idempotency-Key each item has a claim of
 * its own, so a repeated call returns the accounts that the first one has created, and creates the missing ones. An
 * item with another password than that of its account fails.
 */
export function userCreation(deps: CreationDependencies) {
    return async (request: CreateUsersRequest, context: CallContext): Promise<CreateUsersResponse> => {
        const { users } = request;
        if (users.length === 0 || users.length > MAX_USERS) {
            throw invalid(`users must have 1 to ${MAX_USERS} items.`);
        }
        const taken = new Set<string>();
        const createOne = ({ item, ...claims }: ClaimedItem<NewUser>) =>
            runItem(context, async (own) => create(deps, { candidate: validate(item, taken), ...claims }, own));
        const digestOfUser = (user: NewUser) => digestOf({ codec: NewUser, message: compared(user) });
        const claimed = { operation: 'internal.admin.create_users', items: users, digestOf: digestOfUser };
        const items = await claimItems(deps.idempotency, claimed, context);
        const batch = { limit: HASHES_IN_FLIGHT, noun: 'user', context };
        const results = await itemResults(items, batch, createOne);
        const made = results.flatMap(({ value }) => value ?? []);
        noteItems(made, context);
        return {
            created: made.map(({ value }) => value),
            failed: users.flatMap(({ email = '' }, index) => {
                const failure = results[index]?.failure;
                return failure ? { email, error: failure.error } : [];
            }),
        };
    };
}

/** What is in the fingerprint of an item, in one form. The password is not: see confirmSamePassword(). */
function compared({ email, name, tier = 'free', ...user }: NewUser): NewUser {
    return { ...user, email: email && normaliseEmail(email), name: name?.trim(), tier, password: undefined };
}

async function create(
    deps: CreationDependencies,
    { candidate, claim, held }: Omit<ClaimedItem<NewUser>, 'item'> & { candidate: Candidate },
    context: CallContext,
): Promise<CreatedUser> {
    const { store, passwords, idempotency, clock } = deps;
    const { email, oldForms, password, name, tier } = candidate;
    const background = { ...context, background: true };
    const userOf = ({ id }: Pick<HeldClaim, 'id'>) => ({ user_id: id, email, tier });
    const replay = async (held: HeldClaim, claim: Claim) => {
        await confirmSamePassword(deps, { held, claim, password }, background);
        return userOf(held);
    };
    const write = async () => {
        const passwordHash = await passwords.hash(password, background);
        const now = clock();
        const made = { id: newId(now), made_at: new Date(now).toISOString() };
        const created = userOf(made);
        const row = { ...created, name, password_hash: passwordHash, created_at: made.made_at };
        const newClaim = claim && { ...claim, ...made, claimant: made.id, sealed: null };
        const outcome = await insertUser(store, { row, oldForms, claim: newClaim }, context);
        if (outcome === 'refused') throw new AppError('conflict', 'This email is already registered.');
        return outcome === 'written' ? created : undefined;
    };
    return idempotency.once(claim, { write, replay, held }, context);
}

/** Throws AppError if the item is invalid; otherwise adds its address to `taken`. */
function validate({ malformed, ...user }: NewUser, taken: Set<string>): Candidate {
    if (malformed !== undefined) throw invalid(malformed);
    if (user.email === undefined) throw invalid('email is missing.');
    if (user.password === undefined) throw invalid('password is missing.');
    const email = requireEmail(user.email);
    requireNewPassword(user.password);
    const name = user.name === undefined ? undefined : requireName(user.name);
    const tier = requireTier(user.tier ?? 'free');
    if (taken.has(email)) {
        const detail = 'This email is already registered: the batch has it more than once, and the first one counts.';
        throw new AppError('conflict', detail);
    }
    taken.add(email);
    return { email, oldForms: oldFormsOf(user.email), password: user.password, name, tier };
}
