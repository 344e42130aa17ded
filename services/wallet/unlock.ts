import { type CallContext, requireUser, timeoutOfNextHop } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { Guard } from '../../platform/guard.ts';
import { isId } from '../../platform/ids.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import { openDataKey } from './records.ts';
import type { WalletRow, WalletStore } from './store.ts';

export interface UnlockDependencies {
    store: WalletStore;
    passwords: Passwords;
    guard: Guard;
}

/** Bytes of UTF-8, as sent. */
const MAX_PASSWORD_BYTES = 1_024;

/** AppError `invalid` for a text that can be no wallet's password. */
export function requirePassword(password: string): void {
    const bytes = Buffer.byteLength(password);
    const is_text = password.isWellFormed() && !password.includes('\0');
    if (bytes >= 1 && bytes <= MAX_PASSWORD_BYTES && is_text) return;
    throw new AppError(
        'invalid',
        `password must have 1 to ${MAX_PASSWORD_BYTES} bytes, without NUL or lone surrogates.`,
    );
}

/**
 * Runs `use` with the wallet's data key, which is wiped afterwards: nothing remembers that a password was right. AppError
 * `not_found` for a wallet that is not there for the caller, `unauthenticated` for a wrong password, and `rate_limited` after
 * too many of them.
 */
export async function unlocked<Result>(
    { store, passwords, guard }: UnlockDependencies,
    { wallet_id, password }: { wallet_id: string; password: string },
    context: CallContext,
    use: (wallet: WalletRow, data_key: Uint8Array) => Promise<Result>,
): Promise<Result> {
    const wallet = await requireWallet(store, wallet_id, context);
    const target = { subject: `wallet:${wallet.id}`, address: context.address };
    const data_key = await guard.attempt(target, async () => {
        timeoutOfNextHop(context); // in line too long: nobody waits for this key any more
        const password_key = await passwords.derive(password, wallet.salt, wallet);
        const opened = openDataKey(wallet, password_key);
        password_key.fill(0);
        return opened;
    });
    if (!data_key) throw new AppError('unauthenticated', 'The wallet password is wrong.');
    try {
        return await use(wallet, data_key);
    } finally {
        data_key.fill(0);
    }
}

/** Somebody else's wallet is answered as one that never was; a trusted caller that acts for nobody may open any. */
async function requireWallet(store: WalletStore, wallet_id: string, context: CallContext): Promise<WalletRow> {
    const wallet = isId(wallet_id) ? await store.find(wallet_id) : undefined;
    const acts_for_nobody = context.trusted && context.user_id === undefined;
    if (wallet && (acts_for_nobody || wallet.account === requireUser(context))) return wallet;
    throw new AppError('not_found', 'This wallet does not exist.');
}
