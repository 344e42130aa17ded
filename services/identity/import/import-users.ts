import { type CallContext, requireTime } from '../../../platform/context.ts';
import { AppError, invalid } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type {
    ImportedUser,
    ImportResult,
    ImportUsersRequest,
    ImportUsersResponse,
} from '../../../proto/gen/identity/v1/identity.ts';
import { MAX_IMPORTED_USERS } from '../../../proto/limits.ts';
import { importedPhc } from '../../../workers/crypto/phc.ts';
import { mapInFlight } from '../../map-in-flight.ts';
import { requireName } from '../../texts.ts';
import { requireTier } from '../../tiers.ts';
import { oldFormsOf, requireEmail } from '../email.ts';
import type { NewUserRow } from '../rows.ts';
import { type IdentityStore, insertUser } from '../store.ts';

/**
 * Maximum number of rows of one call that wait for a statement or run. They fill two statements. Beyond it: the next row
 * waits, so that the accounts of other callers get in between.
 */
const ROWS_IN_FLIGHT = 128;

/**
 * Creates accounts with password hashes that another system has made. The hash is stored as it is: the first login
 * verifies it and replaces it with one of the service's own. An invalid item does not affect the others. A failure of the
 * store fails the call, and nobody knows which of its accounts exist: a repeated call refuses those.
 */
export function userImport({ store, clock }: { store: IdentityStore; clock: () => number }) {
    async function create(user: ImportedUser, taken: Set<string>, context: CallContext): Promise<string> {
        const now = clock();
        const account = validate(user);
        if (taken.has(account.email)) throw registered();
        taken.add(account.email);
        const row = { ...account, user_id: newId(now), created_at: new Date(now).toISOString() };
        const oldForms = oldFormsOf(user.email ?? '');
        const outcome = await insertUser(store, { row, oldForms, claim: undefined }, context);
        if (outcome === 'refused') throw registered();
        return row.user_id;
    }

    return async ({ users }: ImportUsersRequest, context: CallContext): Promise<ImportUsersResponse> => {
        if (users.length === 0 || users.length > MAX_IMPORTED_USERS) {
            throw invalid(`users must have 1 to ${MAX_IMPORTED_USERS} items.`);
        }
        const taken = new Set<string>();
        const importOne = async (user: ImportedUser): Promise<ImportResult> => {
            requireTime(context);
            try {
                return { user_id: await create(user, taken, context), error: undefined };
            } catch (error) {
                if (!(error instanceof AppError) || !['invalid', 'conflict'].includes(error.kind)) throw error;
                return { user_id: undefined, error: error.detail };
            }
        };
        return { results: await mapInFlight(users, ROWS_IN_FLIGHT, importOne, context) };
    };
}

/** Throws AppError `invalid`, which names the first invalid field. */
function validate({ malformed, email, password_hash, name, tier = 'free' }: ImportedUser) {
    if (malformed !== undefined) throw invalid(malformed);
    if (email === undefined) throw invalid('email is missing.');
    if (password_hash === undefined) throw invalid('password_hash is missing.');
    const hash = importedPhc(password_hash);
    if ('fault' in hash) throw invalid(`password_hash ${hash.fault}`);
    return {
        email: requireEmail(email),
        password_hash,
        name: name === undefined ? undefined : requireName(name),
        tier: requireTier(tier),
    } satisfies Partial<NewUserRow>;
}

function registered(): AppError {
    return new AppError('conflict', 'This email is already registered.');
}
