import type { Coalescer } from '../../platform/batch.ts';
import type { Traced } from '../../platform/telemetry/span.ts';

export interface NewRow {
    /** UUID */
    id: string;
    account: string | undefined;
    issued_at: string;
    expires_at: string | undefined;
    issuer: string;
    subject: string;
    credential_type: string;
}

/** What decides whether a caller may revoke a credential. */
export interface FoundRow {
    issuer: string;
    account: string | null;
    revoked_at: string | null;
    revocation_reason: string | null;
}

export interface ListedRow {
    id: string;
    account: string | null;
    issued_at: string;
    expires_at: string | null;
    revoked: boolean;
    issuer: string;
    subject: string;
    credential_type: string;
}

/** All credentials of one issuer or of one subject. */
export interface Party {
    role: 'issuer' | 'subject';
    did: string;
}

/**
 * Rows of all parties in the order of their ids, below the id `before`: those that an account has issued, or those that
 * name a DID on the side opposite to the party.
 */
export type Strand = ({ account: string } | { did: string }) & { before: string | undefined };

/** The newest `size` credentials of a DID below the id `before`. */
export interface PageQuery {
    did: string;
    before: string | undefined;
    size: number;
}

export interface CredentialStore {
    /** Inserts the row unless one with this id exists. */
    insert: Coalescer<NewRow, void>;
    /** By UUID. */
    find: Coalescer<string, FoundRow | undefined>;
    /** Revokes the credential unless it is revoked already. Resolves to whether it did. */
    revoke(
        revocation: { id: string; revoked_at: string; reason: string | undefined },
        traced?: Traced,
    ): Promise<boolean>;
    /** Newest first, below the id `before`. */
    page(party: Party, range: Omit<PageQuery, 'did'>, traced: Traced): Promise<readonly ListedRow[]>;
    count(party: Party, traced?: Traced): Promise<number>;
    /**
     * Reads the newest `look` rows of each strand; all strands are of one kind. `rows`: those of the party. `unread`:
     * the strands that have more rows, and the id below which these are.
     */
    readStrands(
        party: Party,
        range: { strands: readonly Strand[]; look: number },
        traced?: Traced,
    ): Promise<{ rows: ListedRow[]; unread: Strand[] }>;
    /** The number of the party's rows that the account has issued. It reads all rows that the account has issued. */
    countIssued(party: Party, account: string, traced?: Traced): Promise<number>;
    /**
     * The number of the party's rows with one of the DIDs on the other side, without those that one account has issued.
     */
    countOther(party: Party, range: { dids: readonly string[]; not_by: string }, traced?: Traced): Promise<number>;
    ping(): Promise<void>;
}
