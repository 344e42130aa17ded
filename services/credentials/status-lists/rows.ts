/** A status list, without its content. */
export interface StatusList {
    /** Its number in this database. */
    list: number;
    /** Its id in the address, a UUID. */
    list_id: string;
    /** The URL of the service in the address. */
    public_url: string;
    /** The did:key that signs it. */
    issuer_did: string;
}

/** The place of a credential. */
export interface Place extends StatusList {
    status_index: number;
}

/** Places of a list that one process may give out. */
export interface Block extends StatusList {
    permutation_key: Buffer;
    /** The number of the first place. The block has BLOCK_PLACES of them. */
    first: number;
}

/** The statuses of a list that are to be signed, and what is signed. */
export interface NewPublication {
    list: number;
    /** The number of revoked credentials on it. */
    revoked: number;
    issued_at: string;
    token: string;
}

/** A revocation that may not be published yet. */
export interface Change {
    id: number;
    list: number;
}

export interface StatusListStore {
    /** Takes the next block of places of the open list. Undefined if no list is open, or if nobody can read it yet. */
    takeBlock(publicUrl: string): Promise<Block | undefined>;
    /** Finds the open list, whether it is published or not. */
    findOpen(publicUrl: string): Promise<StatusList | undefined>;
    /** Begins a list, unless another one is open. */
    begin(list: Omit<StatusList, 'list'> & { permutation_key: Buffer; created_at: string }): Promise<void>;
    /** Finds the place of a credential by its UUID. Undefined if it has none. */
    findPlace(id: string): Promise<Place | undefined>;
    /** Reads the indexes of a list's revoked credentials: all of them as they were at one moment, in any order. */
    readRevoked(list: number): Promise<Int32Array>;
    /**
     * Stores the signed list, unless a newer one is stored. The number of revocations tells which is newer, because a
     * revocation is permanent.
     */
    publish(publication: NewPublication): Promise<void>;
    /** Reads the earliest changes of lists other than `except`, at most `limit`. */
    readChanges(limit: number, except: readonly number[]): Promise<readonly Change[]>;
    removeChanges(ids: readonly number[]): Promise<void>;
    /** Finds those among these lists that can still be signed. */
    findLists(lists: readonly number[]): Promise<readonly StatusList[]>;
    /** Finds up to `limit` lists that were published before this time, or never: the oldest first. */
    findOld(before: string, limit: number): Promise<readonly StatusList[]>;
    /** Milliseconds since the earliest change was made, and since the oldest list was published; absent if there is none. */
    readAges(): Promise<{ changed_ms: number | null; published_ms: number | null }>;
    /** Returns up to `limit` published lists, newest first. */
    listPublished(limit: number): Promise<ReadonlyArray<StatusList & { version: string }>>;
    /** Finds a published list by its id, which must be a UUID. */
    findPublished(listId: string): Promise<{ token: string; version: string } | undefined>;
}
