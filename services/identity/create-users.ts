import { type CallContext, throwIfCancelled } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type {
    CreatedUser,
    CreateUsersRequest,
    CreateUsersResponse,
    NewUser,
} from '../../proto/gen/identity/v1/identity.ts';
import { MAX_USERS } from '../../proto/limits.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import { mapInFlight } from '../map-in-flight.ts';
import { requireName } from '../texts.ts';
import { requireTier, type Tier } from '../tiers.ts';
import { requireEmail } from './email.ts';
import { requireNewPassword } from './password-rules.ts';
import type { IdentityStore } from './store.ts';

/** Maximum number of hashes of one request that run or wait for a thread. */
const HASHES_IN_FLIGHT = 4;
/** A request stops creating accounts this long (ms) before its deadline, so that its answer still arrives. */
const RESERVE_MS = 2_000;

/** An item that has passed all checks that do not need the store. */
interface Candidate {
    email: string;
    password: string;
    name: string | undefined;
    tier: Tier;
}

/** Creates accounts in bulk. An invalid item does not affect the others. */
export function userCreation({
    store,
    passwords,
    clock,
}: {
    store: IdentityStore;
    passwords: Passwords;
    clock: () => number;
}) {
    async function create({ email, password, name, tier }: Candidate, context: CallContext): Promise<CreatedUser> {
        if (context.deadline - performance.now() < RESERVE_MS) {
            throw new AppError('deadline', 'The time ran out before this user. Send it again.');
        }
        const passwordHash = await passwords.hash(password, { ...context, background: true });
        const now = clock();
        const userId = newId(now);
        const createdAt = new Date(now).toISOString();
        const isNew = await store.insertUser(
            { user_id: userId, email, name, tier, password_hash: passwordHash, created_at: createdAt },
            context,
        );
        if (!isNew) throw new AppError('conflict', 'This email is already registered.');
        return { user_id: userId, email, tier };
    }

    return async ({ users }: CreateUsersRequest, context: CallContext): Promise<CreateUsersResponse> => {
        if (users.length === 0 || users.length > MAX_USERS) {
            throw invalid(`users must have 1 to ${MAX_USERS} items.`);
        }
        const taken = new Set<string>();
        const createOne = async (user: NewUser) => {
            try {
                return { created: await create(validate(user, taken), context) };
            } catch (error) {
                throwIfCancelled(context);
                if (!(error instanceof AppError)) throw error;
                return { failed: { email: user.email ?? '', error: error.detail } };
            }
        };
        const outcomes = await mapInFlight(users, HASHES_IN_FLIGHT, createOne, context);
        return {
            created: outcomes.flatMap(({ created }) => created ?? []),
            failed: outcomes.flatMap(({ failed }) => failed ?? []),
        };
    };
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
