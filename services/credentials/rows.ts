import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import type { Writes } from '../idempotency/writes.store.ts';
import type { Cause } from '../outbox/cause.ts';
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
    cause: Cause;
}

export interface NewRevocation {
    /** UUID of the credential. */
    id: string;
    revoked_at: string;
    reason: string | undefined;
    cause: Cause;
}

/** The issuer, the account and the revocation of a credential. They decide whether a caller may revoke it. */
export const foundRow = z.strictObject({
    id: z.string(),
    issuer: z.string(),
    account: z.string().nullable(),
    revoked_at: z.string().nullable(),
    revocation_reason: z.string().nullable(),
});
export type FoundRow = z.infer<typeof foundRow>;

export const listedRow = z.strictObject({
    id: z.string(),
    issued_at: z.string(),
    expires_at: z.string().nullable(),
    revoked: z.boolean(),
    issuer: z.string(),
    subject: z.string(),
    credential_type: z.string(),
});
export type ListedRow = z.infer<typeof listedRow>;

export const issuedRow = listedRow.omit({ revoked: true }).extend({
    revoked_at: z.string().nullable(),
    revocation_reason: z.string().nullable(),
});
export type IssuedRow = z.infer<typeof issuedRow>;

/** The credentials of one issuer or of one subject. */
export interface Party {
    role: 'issuer' | 'subject';
    did: string;
    /** The account whose credentials these are; undefined for those of all accounts. */
    issued_by?: string | undefined;
}

/** The newest `size` rows below the id `before`. */
export interface Range {
    before: string | undefined;
    size: number;
}

/** Rows of an account that follow the row `after`; without one, those at the beginning. */
interface IssuedPage {
    account: string;
    after: Pick<FoundRow, 'id' | 'issuer'> | undefined;
    limit: number;
}

export interface CredentialStore extends Writes<NewRow> {
    /** Finds a credential by its UUID. */
    find(id: string, lifetime?: CallLifetime): Promise<FoundRow | undefined>;
    /** Revokes the credential unless it is revoked already. Resolves to true if this call revoked it. */
    revoke(revocation: NewRevocation, lifetime?: CallLifetime): Promise<boolean>;
    /** Reads one page, newest first. */
    page(party: Party, range: Range, lifetime: CallLifetime): Promise<readonly ListedRow[]>;
    count(party: Party, lifetime?: CallLifetime): Promise<number>;
    /** Reads one page of what an account has issued. Rows of one issuer follow each other, in the order of their ids. */
    issued(page: IssuedPage, lifetime?: CallLifetime): Promise<readonly IssuedRow[]>;
    ping(): Promise<void>;
}
