import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { UpdatedUser, UpdateUserRequest } from '../../proto/gen/identity/v1/identity.ts';
import { refuseBoth, requireName } from '../texts.ts';
import { oldFormsOf, requireEmail } from './email.ts';
import type { IdentityStore } from './store.ts';
import { noAccount, requireAccountId } from './user.ts';
import { accountsOf } from './users.store.ts';

/** Changes the fields of the caller's account that the request contains. */
export function userUpdate({ store, clock }: { store: IdentityStore; clock: () => number }) {
    return async ({ email, name, clear_name }: UpdateUserRequest, context: CallContext): Promise<UpdatedUser> => {
        refuseBoth('name', name !== undefined, clear_name);
        const change = {
            user_id: requireAccountId(context),
            email: email === undefined ? undefined : requireEmail(email),
            name: clear_name ? null : name === undefined ? undefined : requireName(name),
            now: new Date(clock()).toISOString(),
        };
        const owners = email === undefined ? [] : await accountsOf(store, oldFormsOf(email), context);
        const isTaken = owners.some(({ user_id }) => user_id !== change.user_id);
        const updated = isTaken ? 'taken' : await store.updateUser(change, context);
        if (updated === 'taken') throw new AppError('conflict', 'This email is already in use.');
        if (!updated) throw noAccount();
        return { ...updated, name: updated.name ?? undefined };
    };
}
