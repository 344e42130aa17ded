import { z } from 'zod';
import type { Coalescer } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import type { SignedCheckpoint } from '../../proto/gen/signing/v1/signing.ts';
import { KEY_ALGORITHMS } from '../../proto/key-algorithms.ts';
import type { AccountPage } from '../account-pages.store.ts';
import type { ErasureStep } from '../erasure.ts';
import type { NewClaim } from '../idempotency/claims.store.ts';

/** Times are ISO 8601 in UTC, with milliseconds. */
export const issuerRow = z.strictObject({
    id: z.string(),
    /** NULL for the service itself, which signs status lists. */
    account: z.string().nullable(),
    did: z.string(),
    method: z.enum(['key', 'web']),
    name: z.string(),
    created_at: z.string(),
    archived_at: z.string().nullable(),
});
export type IssuerRow = z.infer<typeof issuerRow>;

export type Method = IssuerRow['method'];

/** A key as it is shown to its owner. */
export const keyRow = z.strictObject({
    kid: z.string(),
    alg: z.enum(KEY_ALGORITHMS),
    issuer: z.string(),
    created_at: z.string(),
    retired_at: z.string().nullable(),
    compromised_at: z.string().nullable(),
    reason: z.string().nullable(),
});
export type KeyRow = z.infer<typeof keyRow>;

/** The secret of a key that only the data key of its account opens. */
export const sealedSecretKey = z.strictObject({
    kid: z.string(),
    sealed: z.instanceof(Buffer),
    /** The id of the data key. */
    data_key: z.string(),
});
export type SealedSecretKey = z.infer<typeof sealedSecretKey>;

export type NewKey = SealedSecretKey & Pick<KeyRow, 'alg'>;

/** An issuer with what is needed to sign for it: one row for each key, the newest first. */
export const signerRow = sealedSecretKey.extend({
    ...issuerRow.pick({ id: true, account: true, did: true, method: true, archived_at: true }).shape,
    ...keyRow.pick({ alg: true, retired_at: true, compromised_at: true }).shape,
});
export type SignerRow = z.infer<typeof signerRow>;

export const dataKeyRow = z.strictObject({
    id: z.string(),
    account: z.string().nullable(),
    /** The name of the key-encryption key that wraps it. */
    kek: z.string(),
    wrapped: z.instanceof(Buffer),
    /** When it was given up, because nothing unwraps it any more. */
    abandoned_at: z.string().nullable(),
});
export type DataKeyRow = z.infer<typeof dataKeyRow>;

type NewDataKey = Omit<DataKeyRow, 'abandoned_at'> & { created_at: string };

export interface NewIssuer {
    issuer: Omit<IssuerRow, 'archived_at'>;
    key: NewKey;
    /** Maximum number of issuers of the account. */
    quota: number;
    claim: NewClaim | undefined;
}

/** An issuer of an account. */
export interface OwnIssuer {
    account: string;
    id: string;
}

interface Rotation extends OwnIssuer {
    key: NewKey;
    created_at: string;
    /** Maximum number of keys of the issuer. */
    mostKeys: number;
    claim: RotationClaim | undefined;
}

interface RotationClaim extends NewClaim {
    /** Returns the answer, sealed. `previous`: the kid of the key that was active for the algorithm. */
    seal(previous: string | undefined): Buffer;
}

interface Compromise extends OwnIssuer {
    kid: string;
    at: string;
    reason: string | undefined;
}

export interface SigningStore {
    /** `refused`: the quota of the account has no room. */
    insert(issuer: NewIssuer, lifetime: CallLifetime): Promise<'written' | 'held' | 'refused'>;
    /** Returns the account's issuers below the id `before`, newest first. */
    list(page: AccountPage, lifetime: CallLifetime): Promise<readonly IssuerRow[]>;
    count(account: string, lifetime: CallLifetime): Promise<number>;
    find(own: OwnIssuer, lifetime: CallLifetime): Promise<IssuerRow | undefined>;
    /** Returns the keys of the issuers, those of each issuer newest first. */
    keysOf(issuers: readonly string[], lifetime: CallLifetime): Promise<readonly KeyRow[]>;
    /** Replaces the active key for the algorithm of the new one. Runs `check` on the locked issuer and its keys; if that throws, nothing is changed. */
    rotate(
        rotation: Rotation,
        check: (issuer: IssuerRow, keys: readonly KeyRow[]) => void,
        lifetime: CallLifetime,
    ): Promise<'held' | 'missing' | { previous: string | undefined }>;
    /** Returns the key as it is then; undefined if the issuer has no such key. */
    markCompromised(compromise: Compromise, lifetime: CallLifetime): Promise<KeyRow | undefined>;
    /** Returns the issuer as it is then; undefined if there is none. */
    archive(own: OwnIssuer & { at: string }, lifetime: CallLifetime): Promise<IssuerRow | undefined>;
    /** Returns the rows of a DID; none if the DID is unknown. */
    signer: Coalescer<string, SignerRow[]>;
    /** Returns the keys of a did:web; none if the DID is unknown. */
    kids: Coalescer<string, Array<Pick<KeyRow, 'kid' | 'alg' | 'retired_at' | 'compromised_at'>>>;
    /** Returns an issuer and its keys without regard to the account. */
    publicIssuer: Coalescer<
        string,
        Array<Pick<IssuerRow, 'did' | 'method'> & Pick<KeyRow, 'kid' | 'alg' | 'compromised_at'>>
    >;
    /** Like `signer`, for the service's own issuer. */
    ownSigner: Coalescer<string, SignerRow[]>;
    /**
     * Returns the DID of the service's own issuer that signs; creates it with the key if there is none. Undefined if the
     * one of another process was given up at this moment.
     */
    ownIssuer(created: Omit<NewIssuer, 'quota' | 'claim'>, lifetime: CallLifetime): Promise<string | undefined>;
    findOwnIssuer(lifetime: CallLifetime): Promise<string | undefined>;
    findDataKey(id: string, lifetime: CallLifetime): Promise<DataKeyRow | undefined>;
    /** Returns the data key with which the account's keys are sealed now: the newest one that is not given up. */
    dataKeyOf(account: string | null, lifetime: CallLifetime): Promise<DataKeyRow | undefined>;
    insertDataKey(row: NewDataKey, lifetime: CallLifetime): Promise<void>;
    /** Returns the names of the key-encryption keys that wrap data keys. */
    keksInUse(): Promise<readonly string[]>;
    /** Returns the oldest data keys that this key-encryption key wraps. */
    oldestDataKeys(kek: string, limit: number): Promise<readonly DataKeyRow[]>;
    /** The last checkpoint that was signed; undefined if there is none. */
    checkpoint(lifetime: CallLifetime): Promise<SignedCheckpoint | undefined>;
    /** Returns false if a larger tree was signed before, or another one of this size. */
    keepCheckpoint(signed: SignedCheckpoint & { edge: Buffer }, lifetime: CallLifetime): Promise<boolean>;
    erasure: readonly ErasureStep[];
}
