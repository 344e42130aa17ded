import { z } from 'zod';

/** A status list, without its content. */
export const statusList = z.strictObject({
    /** Its number in this database. */
    list: z.number(),
    /** Its id in the address, a UUID. */
    list_id: z.string(),
    /** The URL of the service in the address. */
    public_url: z.string(),
    /** Who signs it: the did:key of the service, or a did:web issuer. */
    issuer_did: z.string(),
});
export type StatusList = z.infer<typeof statusList>;

export const listedList = statusList.extend({ version: z.string() });

/** The place of a credential. */
export const place = statusList.extend({ status_index: z.number() });
export type Place = z.infer<typeof place>;

/** Places of a list that one process may give out. */
export const block = statusList.extend({
    permutation_key: z.instanceof(Buffer),
    /** The number of the first place. */
    first: z.number(),
});
export type Block = z.infer<typeof block>;

/** The content of a list. */
export const publishedList = z.strictObject({ token: z.string(), version: z.string() });

/** The statuses of a list that are to be signed, and what is signed. */
interface NewPublication {
    list: number;
    /** The number of revoked credentials on it. */
    revoked: number;
    issued_at: string;
    token: string;
    /** The key that has signed it, for a list of an issuer. */
    kid: string | undefined;
}

/** The owner of a list: a did:web issuer or, if `issuer_did` is absent, the service. */
export interface ListOwner {
    public_url: string;
    issuer_did?: string | undefined;
}

/** A list of an issuer, the key that signed it last, and whether its next signature is postponed. */
export const signedList = statusList.extend({ kid: z.string().nullable(), is_postponed: z.boolean() });
export type SignedList = z.infer<typeof signedList>;

/** A revocation that may not be published yet. */
export const change = z.strictObject({ id: z.number(), list: z.number() });
export type Change = z.infer<typeof change>;

/** Milliseconds since the earliest change was made, and since the oldest list was published; null if there is none. */
export const ages = z.strictObject({ changed_ms: z.number().nullable(), published_ms: z.number().nullable() });

export interface StatusListStore {
    /**
     * Takes the next block of places of the open list. Undefined if no list is open, or if nobody can read it yet, or if its
     * signing was postponed.
     */
    takeBlock(owner: ListOwner, places: number): Promise<Block | undefined>;
    /** Finds the open list, whether it is published or not. */
    findOpen(owner: ListOwner): Promise<StatusList | undefined>;
    /** Begins a list, unless the issuer has another open one. */
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
    /**
     * Finds up to `limit` lists that were published before a time, or never, the oldest first; those of issuers also if they
     * were postponed before `retry`.
     */
    findOld(times: { before: string; retry: string }, limit: number): Promise<readonly StatusList[]>;
    /** Finds up to `limit` published lists of issuers after the list `after`, in the order of their numbers. */
    findSigned(after: number, limit: number): Promise<readonly SignedList[]>;
    /** Notes that the issuer of a list cannot sign now. Its lists are not due until they are published again. */
    postpone(list: number): Promise<void>;
    readAges(): Promise<z.infer<typeof ages>>;
    /** Returns up to `limit` published lists, newest first. */
    listPublished(limit: number): Promise<ReadonlyArray<z.infer<typeof listedList>>>;
    /** Finds a published list by its id, which must be a UUID. */
    findPublished(listId: string): Promise<z.infer<typeof publishedList> | undefined>;
}
