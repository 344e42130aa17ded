import type { Tier } from '../tiers.ts';

/** All times are ISO 8601 in UTC with milliseconds. */
export interface KeyRow {
    key_id: string;
    account: string;
    mask: string;
    name: string;
    tier: Tier;
    created_at: string;
    updated_at: string;
    revoked_at: string | null;
}

export interface NewKeyRow {
    key_id: string;
    account: string;
    hash: Buffer;
    mask: string;
    name: string;
    tier: Tier;
    created_at: string;
}

export interface KeyCounts {
    active: number;
    /** Including revoked ones. */
    all: number;
}
