import { z } from 'zod';

/** A sealed data key, and the parameters that derive the key for opening it from the password. */
const lockedKey = z.strictObject({
    salt: z.instanceof(Buffer),
    memory_kib: z.number(),
    passes: z.number(),
    data_key: z.instanceof(Buffer),
});
export type LockedKey = z.infer<typeof lockedKey>;

/** The row of a wallet. */
export const walletRow = lockedKey.extend({
    /** UUID */
    id: z.string(),
    account: z.string().nullable(),
    created_at: z.string(),
    private_key: z.instanceof(Buffer),
    profile: z.instanceof(Buffer),
});
export type WalletRow = z.infer<typeof walletRow>;

/** A credential of a wallet, and the account that it counts for. */
export interface EntryName {
    wallet: Pick<WalletRow, 'id' | 'account'>;
    /** UUID */
    credential: string;
}

export interface NewEntry extends EntryName {
    /** UUIDv7 */
    entry: string;
    stored_at: string;
    issuer_tag: Buffer;
    sealed: Buffer;
}

export const entryRow = z.strictObject({
    credential: z.string(),
    entry: z.string(),
    stored_at: z.string(),
    sealed: z.instanceof(Buffer),
});
export type EntryRow = z.infer<typeof entryRow>;
