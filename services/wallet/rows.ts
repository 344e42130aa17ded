/** A sealed data key, and the parameters that derive the key for opening it from the password. */
export interface LockedKey {
    salt: Buffer;
    memory_kib: number;
    passes: number;
    data_key: Buffer;
}

/** The row of a wallet. */
export interface WalletRow extends LockedKey {
    /** UUID */
    id: string;
    account: string | null;
    created_at: string;
    private_key: Buffer;
    profile: Buffer;
}

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

export interface EntryRow {
    credential: string;
    entry: string;
    stored_at: string;
    sealed: Buffer;
}
