import type { Tier } from '../tiers.ts';
import type { Restrictions } from './restrictions.ts';

/** All times are ISO 8601 in UTC with milliseconds. */
export interface KeyRow extends Restrictions {
    key_id: string;
    account: string;
    mask: string;
    name: string;
    tier: Tier;
    created_at: string;
    updated_at: string;
    revoked_at: string | null;
    /** The key that has replaced this one. */
    replaced_by: string | null;
}

/** A row that the transaction has locked. */
export interface LockedKeyRow extends KeyRow {
    /** The rate limit window in which its calls count. */
    bucket: string;
}

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

export interface KeyCounts {
    /** Keys that are neither revoked nor expired. A key and the one that has replaced it count as one. */
    active: number;
    /** Including revoked ones. */
    all: number;
}
