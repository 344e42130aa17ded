import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { isId } from '../../platform/uuid.ts';
import type { OwnKey } from './rows.ts';

/** The key that a call of an account names. Throws `not_found` for a malformed id. */
export function ownKey(keyId: string, context: CallContext): OwnKey {
    const account = requireUser(context);
    if (!isId(keyId)) throw notFound();
    return { account, key_id: keyId };
}

/** The version that a change gives to a key, as its liveness mark names it. */
export function versionOf({ account, key_id }: OwnKey, version: number) {
    return { account, subject: 'key' as const, versions: [{ id: key_id, version }] };
}

/** Throws `not_found` if there is no such key. */
export function existing<Key>(key: Key | undefined): Key {
    if (!key) throw notFound();
    return key;
}

/** A key of another account gets the same answer as one that does not exist. */
function notFound(): AppError {
    return new AppError('not_found', 'This API key does not exist.');
}
