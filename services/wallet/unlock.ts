import { randomBytes } from 'node:crypto';
import type { Guard } from '../../platform/access/guard.ts';
import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { isId } from '../../platform/uuid.ts';
import { type PasswordCost, SALT_BYTES } from '../../workers/crypto/password.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import { openDataKey, sealDataKey } from './records.ts';
import type { LockedKey, WalletRow } from './rows.ts';
import type { WalletStore } from './store.ts';

export interface UnlockDependencies {
    store: WalletStore;
    passwords: Passwords;
    /** The current cost of deriving a key from a password. */
    cost: PasswordCost;
    guard: Pick<Guard, 'attempt'>;
}

/** Maximum length of a wallet password, in bytes of UTF-8, as sent. Beyond it: `invalid`. */
const MAX_PASSWORD_BYTES = 1_024;

/** Throws AppError `invalid` if the text cannot be a wallet's password. */
export function requirePassword(password: string): void {
    const bytes = Buffer.byteLength(password);
    const isText = password.isWellFormed() && !password.includes('\0');
    if (bytes >= 1 && bytes <= MAX_PASSWORD_BYTES && isText) return;
    throw new AppError(
        'invalid',
        `password must have 1 to ${MAX_PASSWORD_BYTES} bytes, without NUL or lone surrogates.`,
    );
}

/** Seals the wallet's data key with a key that is derived from the password at the current cost. */
export async function lock(
    { passwords, cost }: Pick<UnlockDependencies, 'passwords' | 'cost'>,
    { wallet, password, data_key }: { wallet: string; password: string; data_key: Uint8Array },
    context: CallContext,
): Promise<LockedKey> {
    const salt = randomBytes(SALT_BYTES);
    const passwordKey = await passwords.derive(password, salt, cost, context);
    const sealed = sealDataKey(data_key, passwordKey, wallet);
    passwordKey.fill(0);
    return { salt, ...cost, data_key: sealed };
}

/**
 * Runs `use` with the wallet's data key, which is wiped afterwards. The service does not remember that the password was
 * right, so each page of a list derives the key again. Throws AppError `not_found` if the caller has no such wallet,
 * `unauthenticated` if the password is wrong, and `rate_limited` after too many wrong passwords.
 */
export async function unlocked<Result>(
    deps: UnlockDependencies,
    { wallet_id, password }: { wallet_id: string; password: string },
    context: CallContext,
    use: (wallet: WalletRow, dataKey: Uint8Array) => Promise<Result>,
): Promise<Result> {
    const wallet = await requireWallet(deps.store, wallet_id, context);
    const dataKey = await openedBy(deps, password, wallet, context);
    try {
        return await use(wallet, dataKey);
    } finally {
        dataKey.fill(0);
    }
}

/**
 * Returns the data key, opened with the password. If the wallet was locked at a cost other than the current one, it is
 * locked again at the current cost.
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
    const target = { subject: guardSubject(wallet.id), address, traceparent, deadline, cancellation };
    const dataKey = await guard.attempt(target, async () => {
        const passwordKey = await passwords.derive(password, salt, { memory_kib, passes }, context);
        const opened = openDataKey(wallet, passwordKey);
        passwordKey.fill(0);
        return opened;
    });
    if (!dataKey) throw new AppError('unauthenticated', 'The wallet password is wrong.');
    try {
        if (memory_kib !== cost.memory_kib || passes !== cost.passes) {
            const locked = await lock(deps, { wallet: wallet.id, password, data_key: dataKey }, context);
            await store.relock(wallet.id, locked, context);
        }
        return dataKey;
    } catch (error) {
        dataKey.fill(0);
        throw error;
    }
}

/**
 * Throws the same error for another account's wallet as for one that does not exist. A trusted caller that acts for no
 * account may open any wallet.
 */
async function requireWallet(store: WalletStore, walletId: string, context: CallContext): Promise<WalletRow> {
    const wallet = isId(walletId) ? await store.find(walletId, context) : undefined;
    const actsForNobody = context.trusted && context.user_id === undefined;
    if (wallet && (actsForNobody || wallet.account === requireUser(context))) return wallet;
    throw new AppError('not_found', 'This wallet does not exist.');
}

/** The subject under which guesses of the password of a wallet are counted. */
export function guardSubject(wallet: string): string {
    return `wallet:${wallet}`;
}
