export interface DidRow {
    did: string;
    public_key: Uint8Array;
    account: string | undefined;
    origin: 'generated' | 'wallet' | 'registered';
}
