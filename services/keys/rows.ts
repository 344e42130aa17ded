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
    /** Whether it is one of the account's active keys in keys.accounts, unless it is revoked. */
    counted: boolean;
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
    /** Neither revoked nor expired nor replaced. */
    active: number;
    /** Including revoked ones. */
    all: number;
}
