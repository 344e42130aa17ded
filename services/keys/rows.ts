import { z } from 'zod';
import { TIERS, type Tier } from '../../proto/tiers.ts';
import { type Restrictions, restrictions } from './restrictions.ts';

/** All times are ISO 8601 in UTC with milliseconds. */
export const keyRow = restrictions.extend({
    key_id: z.string(),
    account: z.string(),
    mask: z.string(),
    name: z.string(),
    tier: z.enum(TIERS),
    created_at: z.string(),
    updated_at: z.string(),
    revoked_at: z.string().nullable(),
    /** The key that has replaced this one. */
    replaced_by: z.string().nullable(),
});
export type KeyRow = z.infer<typeof keyRow>;

/** A row that the transaction has locked. */
export const lockedKeyRow = keyRow.extend({
    /** The rate limit window in which its calls count. */
    bucket: z.string(),
});
export type LockedKeyRow = z.infer<typeof lockedKeyRow>;

/** A key that was found by its hash. */
export const hashedKey = restrictions.extend({
    hash: z.instanceof(Buffer),
    key_id: z.string(),
    account: z.string(),
    tier: z.enum(TIERS),
    revoked_at: z.string().nullable(),
    /** Whether the account is suspended. */
    suspended: z.boolean(),
    version: z.number(),
    /** The rate limit window in which its calls count. */
    bucket: z.string(),
});

export const versionRow = z.strictObject({ id: z.string(), version: z.number() });

export interface NewKeyRow extends Restrictions {
    key_id: string;
    account: string;
    hash: Buffer;
    mask: string;
    name: string;
    tier: Tier;
    created_at: string;
}

/** Identifies a key of an account. */
export interface OwnKey {
    account: string;
    key_id: string;
}

export const keyCounts = z.strictObject({
    /** Keys that are neither revoked nor expired. A key and the one that has replaced it count as one. */
    active: z.number(),
    /** Including revoked ones. */
    all: z.number(),
});
export type KeyCounts = z.infer<typeof keyCounts>;
