import { randomBytes } from 'node:crypto';
import type { Guard } from '../../platform/access/guard.ts';
import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type PasswordCost, SALT_BYTES } from '../../workers/crypto/password.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import type { Continuations } from './continuation.ts';
import { openDataKey, sealDataKey } from './records.ts';
import type { LockedKey, WalletRow, WalletStore } from './store.ts';

export interface UnlockDependencies {
    store: WalletStore;
    passwords: Passwords;
    /** The current cost of deriving a key from a password. */
    cost: PasswordCost;
    guard: Guard;
    continuations: Continuations;
}

/** Bytes of UTF-8, as sent. */
const MAX_PASSWORD_BYTES = 1_024;

/** AppError `invalid` for a text that cannot be a wallet's password. */
export function requirePassword(password: string): void {
    const bytes = Buffer.byteLength(password);
    const is_text = password.isWellFormed() && !password.includes('\0');
    if (bytes >= 1 && bytes <= MAX_PASSWORD_BYTES && is_text) return;
    throw new AppError(
        'invalid',
        `password must have 1 to ${MAX_PASSWORD_BYTES} bytes, without NUL or lone surrogates.`,
    );
}

/** The wallet's data key, locked with a key that is derived from the password at the current cost. */
export async function lock(
    { passwords, cost }: Pick<UnlockDependencies, 'passwords' | 'cost'>,
    { wallet, password, data_key }: { wallet: string; password: string; data_key: Uint8Array },
    context: CallContext,
): Promise<LockedKey> {
    const salt = randomBytes(SALT_BYTES);
    const password_key = await passwords.derive(password, salt, cost, context);
    const sealed = sealDataKey(data_key, password_key, wallet);
    password_key.fill(0);
    return { salt, ...cost, data_key: sealed };
}

/**
 * Runs `use` with the wallet's data key, which is wiped afterwards. A continuation opens the wallet without deriving a
 * key. Otherwise the password does, and nothing remembers that it was right. AppError `not_found` if the caller has no
 * such wallet, `unauthenticated` for a wrong password, and `rate_limited` after too many of them.
 */
export async function unlocked<Result>(
    deps: UnlockDependencies,
    {
        wallet_id,
        password,
        continuation,
    }: { wallet_id: string; password: string; continuation?: Uint8Array | undefined },
    context: CallContext,
    use: (wallet: WalletRow, data_key: Uint8Array) => Promise<Result>,
): Promise<Result> {
    const wallet = await requireWallet(deps.store, wallet_id, context);
    const reader = { wallet: wallet.id, account: context.user_id };
    const continued = continuation && deps.continuations.open(continuation, reader);
    const data_key = continued ?? (await openedBy(deps, password, wallet, context));
    try {
        return await use(wallet, data_key);
    } finally {
        data_key.fill(0);
    }
}

/**
 * The data key by the password. If the password's key was derived at a cost other than the current one, it is replaced.
 */
async function openedBy(
    deps: UnlockDependencies,
    password: string,
    wallet: WalletRow,
    context: CallContext,
): Promise<Buffer> {
    const { store, passwords, cost, guard } = deps;
    const { salt, memory_kib, passes } = wallet;
    const { address, traceparent, deadline, cancellation } = context;
    const target = { subject: `wallet:${wallet.id}`, address, traceparent, deadline, cancellation };
    const data_key = await guard.attempt(target, async () => {
        const password_key = await passwords.derive(password, salt, { memory_kib, passes }, context);
        const opened = openDataKey(wallet, password_key);
        password_key.fill(0);
        return opened;
    });
    if (!data_key) throw new AppError('unauthenticated', 'The wallet password is wrong.');
    try {
        if (memory_kib !== cost.memory_kib || passes !== cost.passes) {
            const locked = await lock(deps, { wallet: wallet.id, password, data_key }, context);
            await store.relock(wallet.id, locked, context);
        }
        return data_key;
    } catch (error) {
        data_key.fill(0);
        throw error;
    }
}

/**
 * Another account's wallet gets the same answer as one that does not exist. A trusted caller that acts for nobody may
 * open any.
 */
async function requireWallet(store: WalletStore, wallet_id: string, context: CallContext): Promise<WalletRow> {
    const wallet = isId(wallet_id) ? await store.find(wallet_id, context) : undefined;
    const acts_for_nobody = context.trusted && context.user_id === undefined;
    if (wallet && (acts_for_nobody || wallet.account === requireUser(context))) return wallet;
    throw new AppError('not_found', 'This wallet does not exist.');
}
