import { z } from 'zod';
import { readNetwork } from '../../platform/access/networks.ts';
import { invalid } from '../../platform/errors.ts';
import { MAX_KEY_NETWORKS, MAX_KEY_SCOPES } from '../../proto/limits.ts';
import { hasScope, isScope, SCOPE_NAMES, SCOPES, type Scope, scopeMask } from '../../proto/scopes.ts';
import { readDateTime } from '../../tokens/times.ts';
import { refuseBoth } from '../texts.ts';

/** How many years ahead a key may expire at most. Beyond it: 400. */
const MAX_YEARS = 10;

/** When a key ends, what it may be used for, and from where. `null` means no restriction. */
export const restrictions = z.strictObject({
    /** ISO 8601 in UTC with milliseconds. */
    expires_at: z.string().nullable(),
    scopes: z.array(z.string()).readonly().nullable(),
    /** Networks in CIDR notation. */
    allowed: z.array(z.string()).readonly().nullable(),
});
export type Restrictions = z.infer<typeof restrictions>;

/** The fields of a request. An empty list means the same as an absent field. */
interface Requested {
    expires_at?: string | undefined;
    scopes: readonly string[];
    allowed_addresses: readonly string[];
}

/** Returns the restrictions that a new key gets. Throws AppError `invalid`. `now` in milliseconds since 1970. */
export function requireRestrictions(requested: Requested, now: number): Restrictions {
    const { expires_at, scopes, allowed_addresses } = requested;
    return {
        expires_at: expires_at === undefined ? null : requireFutureExpiry(expires_at, now),
        scopes: scopes.length === 0 ? null : requireScopes(scopes),
        allowed: allowed_addresses.length === 0 ? null : requireNetworks(allowed_addresses),
    };
}

/** The fields of a request, each value in one form, also if it is invalid. So they can be compared with others. */
export function writtenOnce({ expires_at, scopes, allowed_addresses }: Requested) {
    return {
        expires_at: expires_at && (readDateTime(expires_at) ?? expires_at),
        scopes: scopes.toSorted(),
        allowed_addresses: allowed_addresses.map((text) => readNetwork(text) ?? text),
    };
}

/** Returns the restrictions that a request changes. Throws AppError `invalid`. `now` in milliseconds since 1970. */
export function requireChange(
    requested: Requested & { clear_expires_at: boolean; clear_scopes: boolean; clear_allowed_addresses: boolean },
    now: number,
): Partial<Restrictions> {
    const { expires_at, scopes, allowed } = requireRestrictions(requested, now);
    refuseBoth('expires_at', expires_at !== null, requested.clear_expires_at);
    refuseBoth('scopes', scopes !== null, requested.clear_scopes);
    refuseBoth('allowed_addresses', allowed !== null, requested.clear_allowed_addresses);
    return {
        ...((expires_at !== null || requested.clear_expires_at) && { expires_at }),
        ...((scopes !== null || requested.clear_scopes) && { scopes }),
        ...((allowed !== null || requested.clear_allowed_addresses) && { allowed }),
    };
}

/** The restrictions as answers show them: a field that restricts nothing is absent or empty. */
export function shown({ expires_at, scopes, allowed }: Restrictions) {
    return {
        expires_at: expires_at ?? undefined,
        scopes: [...(scopes ?? [])],
        allowed_addresses: [...(allowed ?? [])],
    };
}

/** True if a key with this expiry has expired. `now` in milliseconds since 1970. */
export function hasExpired({ expires_at }: Pick<Restrictions, 'expires_at'>, now: number): boolean {
    return expires_at !== null && Date.parse(expires_at) <= now;
}

function requireFutureExpiry(text: string, now: number): string {
    const time = readDateTime(text);
    if (time === undefined) throw invalid('expires_at must be an ISO 8601 date-time with an offset.');
    if (Date.parse(time) <= now) throw invalid('expires_at must be in the future.');
    const latest = new Date(now);
    latest.setUTCFullYear(latest.getUTCFullYear() + MAX_YEARS);
    if (Date.parse(time) > latest.getTime()) throw invalid(`expires_at may be at most ${MAX_YEARS} years ahead.`);
    return time;
}

function requireScopes(scopes: readonly string[]): readonly string[] {
    requireFew('scopes', scopes, MAX_KEY_SCOPES);
    requireDistinct('scopes', scopes);
    if (scopes.every((scope) => SCOPE_NAMES.includes(scope))) return scopes;
    throw invalid(`scopes may contain only ${SCOPE_NAMES.join(', ')}.`);
}

function requireNetworks(texts: readonly string[]): readonly string[] {
    requireFew('allowed_addresses', texts, MAX_KEY_NETWORKS);
    const networks = texts.map((text) => readNetwork(text));
    const known = networks.filter((network) => network !== undefined);
    if (known.length < networks.length) {
        throw invalid(
            'allowed_addresses may contain only networks in CIDR notation without host bits, such as 203.0.113.0/24, 198.51.100.7/32 or 2001:db8::/32.',
        );
    }
    requireDistinct('allowed_addresses', known);
    return known;
}

function requireFew(field: string, items: readonly string[], max: number): void {
    if (items.length > max) throw invalid(`${field} may have at most ${max} items.`);
}

function requireDistinct(field: string, items: readonly string[]): void {
    if (new Set(items).size < items.length) throw invalid(`${field} must not contain an item twice.`);
}

/** Returns the scope that a call needs, if it needs one. Throws AppError `invalid` if there is no such scope. */
export function requireScope(scope: string | undefined): Scope | undefined {
    if (scope === undefined || isScope(scope)) return scope;
    throw invalid(`scope must be one of ${SCOPES.join(', ')}.`);
}

/** True if the key has the scope, or if none is needed. */
export function covers({ scopes }: Pick<Restrictions, 'scopes'>, needed: Scope | undefined): boolean {
    return needed === undefined || hasScope(scopes === null ? undefined : scopeMask(scopes), needed);
}
