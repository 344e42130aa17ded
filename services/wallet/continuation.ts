import { sharedSeal } from '../shared-seal.ts';

/**
 * The wallet of a continuation, and the account that reads it; undefined for a trusted caller that acts for no account.
 */
interface Reader {
    wallet: string;
    account: string | undefined;
}

/**
 * A continuation carries a wallet's data key from one page of a list to the next, so that a long list derives the key
 * from the password only once. It is sealed for the wallet and the account and valid for three minutes. Any process of
 * the wallet role can open it, so the pages of one list may be read from several processes. Only the caller of the RPC
 * sees it, and that caller knows the password. No HTTP answer contains it.
 */
export interface Continuations {
    seal(dataKey: Uint8Array, reader: Reader): Buffer;
    /** Returns the data key; undefined if the continuation has expired or was made for another wallet or account. */
    open(continuation: Uint8Array, reader: Reader): Buffer | undefined;
}

/**
 * Lifetime of a continuation, in milliseconds. It is longer than a client may leave an answer unread before its
 * connection is closed. Beyond it: the wallet service derives the key from the password again.
 */
const LIFETIME_MS = 180_000;
const EXPIRY_BYTES = 8;

/**
 * All processes must have the same `secrets`. The first one seals continuations; each of them opens continuations.
 * `clock`: milliseconds since 1970.
 */
export function continuations(secrets: readonly [string, ...string[]], clock: () => number): Continuations {
    const shared = sharedSeal(secrets, 'wallet continuations');
    return {
        seal(dataKey, { wallet, account }) {
            const plain = Buffer.alloc(EXPIRY_BYTES + dataKey.length);
            plain.writeDoubleBE(clock() + LIFETIME_MS);
            plain.set(dataKey, EXPIRY_BYTES);
            const sealed = shared.seal(plain, [wallet, account]);
            plain.fill(0);
            return sealed;
        },
        open(continuation, { wallet, account }) {
            const plain = shared.open(continuation, [wallet, account]);
            if (!plain) return undefined;
            if (plain.readDoubleBE() > clock()) return plain.subarray(EXPIRY_BYTES);
            plain.fill(0);
            return undefined;
        },
    };
}
