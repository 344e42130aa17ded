import type { Coalescer } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import type { NewClaim, Outcome } from '../idempotency/claims.store.ts';
import type { Place } from './status-lists/rows.ts';

export interface NewRow {
    /** UUID */
    id: string;
    account: string | undefined;
    issued_at: string;
    expires_at: string | undefined;
    issuer: string;
    subject: string;
    credential_type: string;
    /** Its place on a status list, if it has one. */
    place?: Pick<Place, 'list' | 'status_index'> | undefined;
}

export interface NewRevocation {
    /** UUID of the credential. */
    id: string;
    revoked_at: string;
    reason: string | undefined;
}

/** The issuer, the account and the revocation of a credential. They decide whether a caller may revoke it. */
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
 * A sequence of rows in the order of their ids, below the id `before`: the rows that an account has issued, or the rows
 * in which a DID is the other party. It contains the rows of all parties.
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
    /** Claims an Idempotency-Key and inserts the row, unless an earlier call holds the claim. */
    insertOnce: Coalescer<{ row: NewRow; claim: NewClaim }, Outcome>;
    /** Finds a credential by its UUID. */
    find: Coalescer<string, FoundRow | undefined>;
    /** Revokes the credential unless it is revoked already. Resolves to true if this call revoked it. */
    revoke: Coalescer<NewRevocation, boolean>;
    /** Reads rows below the id `before`, newest first. */
    page(party: Party, range: Omit<PageQuery, 'did'>, lifetime: CallLifetime): Promise<readonly ListedRow[]>;
    count(party: Party, lifetime?: CallLifetime): Promise<number>;
    /**
     * Reads the newest `look` rows of each strand; all strands must be of one kind. `rows`: the rows that belong to the
     * party. `unread`: the strands that have more rows, each with the id below which they are.
     */
    readStrands(
        party: Party,
        range: { strands: readonly Strand[]; look: number },
        lifetime?: CallLifetime,
    ): Promise<{ rows: ListedRow[]; unread: Strand[] }>;
    /** Counts the party's rows that the account has issued. It reads all rows that the account has issued. */
    countIssued(party: Party, account: string, lifetime?: CallLifetime): Promise<number>;
    /**
     * Counts the party's rows in which one of the DIDs is the other party, without the rows that the account `notBy`
     * has issued.
     */
    countOther(
        party: Party,
        range: { dids: readonly string[]; notBy: string },
        lifetime?: CallLifetime,
    ): Promise<number>;
    ping(): Promise<void>;
}
