import { z } from 'zod';
import type { Key } from '../proto/gen/keys/v1/keys.ts';
import { MAX_KEY_NETWORKS, MAX_KEY_SCOPES } from '../proto/limits.ts';
import { SCOPE_NAMES } from '../proto/scopes.ts';
import { textsIfAny } from './answer-fields.ts';
import { listOf, optional } from './fields.ts';

const expiresAt = z.string();
const scopes = listOf(z.enum(SCOPE_NAMES, `must be one of ${SCOPE_NAMES.join(', ')}`), { min: 1, max: MAX_KEY_SCOPES });
const networks = listOf(z.string(), { min: 1, max: MAX_KEY_NETWORKS });

/** The restrictions that a new key gets. The keys service validates them further. */
export const newRestrictions = {
    expires_at: optional(expiresAt),
    scopes: optional(scopes),
    allowed_addresses: optional(networks),
};

/** The restrictions that a change sets or, with `null`, removes. */
export const changedRestrictions = {
    expires_at: expiresAt.nullable().optional(),
    scopes: scopes.nullable().optional(),
    allowed_addresses: networks.nullable().optional(),
};

/** The restrictions in answers. A field that restricts nothing is absent. */
export const restrictionFields = {
    expires_at: z.string().optional(),
    scopes: textsIfAny,
    allowed_addresses: textsIfAny,
};

export type Restrictions = Pick<Key, 'expires_at' | 'scopes' | 'allowed_addresses'>;

type Change = z.output<z.ZodObject<typeof changedRestrictions>>;

/** A change in the form of keys.v1.RestrictRequest. Undefined if it contains no restriction. */
export function changeOf({ expires_at, scopes: held, allowed_addresses }: Change) {
    if (expires_at === undefined && held === undefined && allowed_addresses === undefined) return undefined;
    return {
        expires_at: expires_at ?? undefined,
        clear_expires_at: expires_at === null,
        scopes: held ?? [],
        clear_scopes: held === null,
        allowed_addresses: allowed_addresses ?? [],
        clear_allowed_addresses: allowed_addresses === null,
    };
}
