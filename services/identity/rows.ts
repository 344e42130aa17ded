import type { Tier } from '../../proto/tiers.ts';

export interface NewUserRow {
    user_id: string;
    email: string;
    name: string | undefined;
    tier: Tier;
    password_hash: string;
    created_at: string;
}
