import type { CallContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import {
    type CreatedUser,
    CreateUsersRequest,
    type CreateUsersResponse,
    type NewUser,
} from '../../proto/gen/identity/v1/identity.ts';
import { MAX_USERS } from '../../proto/limits.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import { type Claim, digestOf, type HeldClaim, keyOf } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { itemOutcomes } from '../item-outcomes.ts';
import { mapInFlight } from '../map-in-flight.ts';
import { requireName } from '../texts.ts';
import { requireTier, type Tier } from '../tiers.ts';
import { requireEmail } from './email.ts';
import { requireNewPassword } from './password-rules.ts';
import { type IdentityStore, insertUser } from './store.ts';

/** Maximum number of hashes of one request that run or wait for a thread. */
const HASHES_IN_FLIGHT = 4;
/** Earlier claims that one request looks for at a time. One statement finds that many. */
const LOOKUPS_IN_FLIGHT = 64;

/** An item that has passed all checks that do not need the store. */
interface Candidate {
    email: string;
    password: string;
    name: string | undefined;
    tier: Tier;
}

interface CreationDependencies {
    store: IdentityStore;
    passwords: Passwords;
    idempotency: Idempotency;
    clock: () => number;
}

/** One item of a batch: its claim if the call has an Idempotency-Key, and the claim of an earlier call with it. */
interface Item {
    user: NewUser;
    claim?: Claim;
    held?: HeldClaim | undefined;
}

/** An account of the answer, and whether an earlier call has created it. */
interface Created {
    created: CreatedUser;
    isReplay: boolean;
}

/**
 * Creates accounts in bulk. An invalid item does not affect the others. With an Idempotency-Key each item has a claim of
 * its own, so a repeated call returns the accounts that the first one has created, and creates the missing ones.
 */
export function userCreation(deps: CreationDependencies) {
    return async (request: CreateUsersRequest, context: CallContext): Promise<CreateUsersResponse> => {
        const { users } = request;
        if (users.length === 0 || users.length > MAX_USERS) {
            throw invalid(`users must have 1 to ${MAX_USERS} items.`);
        }
        const taken = new Set<string>();
        const createOne = async (item: Item): Promise<Created> => {
            const replay = { isReplay: false };
            const candidate = validate(item.user, taken);
            const created = await create(deps, { ...item, candidate }, { ...context, replay });
            return { created, isReplay: replay.isReplay };
        };
        const items = await itemsOf(deps.idempotency, request, context);
        const batch = { limit: HASHES_IN_FLIGHT, noun: 'user', context };
        const outcomes = await itemOutcomes(items, batch, createOne);
        const made = outcomes.flatMap(({ value }) => value ?? []);
        if (context.replay && made.length > 0) context.replay.isReplay = made.every(({ isReplay }) => isReplay);
        return {
            created: made.map(({ created }) => created),
            failed: users.flatMap(({ email = '' }, index) => {
                const failure = outcomes[index]?.failure;
                return failure ? { email, error: failure.detail } : [];
            }),
        };
    };
}

/**
 * Adds the claims to the items, and looks for earlier ones. Throws AppError `unprocessable` if one of them belongs to
 * another request: then nothing is created.
 */
async function itemsOf(idempotency: Idempotency, request: CreateUsersRequest, context: CallContext): Promise<Item[]> {
    const key = keyOf(context);
    if (key === undefined) return request.users.map((user) => ({ user }));
    const digest = digestOf({ codec: CreateUsersRequest, message: request });
    const claimed = request.users.map((user, index) => {
        const item = { operation: 'internal.admin.create_users', key: `${key}/${index}`, digest };
        return { user, claim: idempotency.claimOfItem(item, context) };
    });
    const find = async (item: { user: NewUser; claim: Claim }): Promise<Item> => ({
        ...item,
        held: await idempotency.find(item.claim, context),
    });
    return mapInFlight(claimed, LOOKUPS_IN_FLIGHT, find, context);
}

async function create(
    { store, passwords, idempotency, clock }: CreationDependencies,
    { candidate, claim, held }: Item & { candidate: Candidate },
    context: CallContext,
): Promise<CreatedUser> {
    const { email, password, name, tier } = candidate;
    const replay = ({ id }: Pick<HeldClaim, 'id'>) => ({ user_id: id, email, tier });
    if (claim && held) {
        idempotency.noteReplay(claim.operation, context);
        return replay(held);
    }
    const write = async () => {
        const passwordHash = await passwords.hash(password, { ...context, background: true });
        const now = clock();
        const made = { id: newId(now), made_at: new Date(now).toISOString() };
        const created = replay(made);
        const row = { ...created, name, password_hash: passwordHash, created_at: made.made_at };
        const newClaim = claim && { ...claim, ...made, sealed: null };
        const outcome = await insertUser(store, { row, claim: newClaim }, context);
        if (outcome === 'refused') throw new AppError('conflict', 'This email is already registered.');
        return outcome === 'written' ? created : undefined;
    };
    return idempotency.once(claim, { write, replay }, context);
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
    return { email, password: user.password, name, tier };
}
