export interface DidRow {
    did: string;
    public_key: Uint8Array;
    account: string | undefined;
    origin: 'generated' | 'wallet' | 'registered';
    /** Maximum number of DIDs of the account. DIDs of wallets have none: the number of wallets bounds them. */
    quota?: number;
}
