import { z } from 'zod';
import type { ClaimDescription, Configuration, Offer } from '../../proto/gen/exchange/v1/exchange.ts';
import { type ClaimPathPart, partOf, stepOf } from '../../proto/openid4vci.ts';

/** What the metadata of an issuer says about a kind of credential. */
export type Definition = Omit<Configuration, 'issuer_id' | 'configuration_id' | 'created_at'>;

interface StoredDefinition extends Omit<Definition, 'claims'> {
    claims: Array<Omit<ClaimDescription, 'path'> & { path: ClaimPathPart[] }>;
}

/** Times are ISO 8601 in UTC, with milliseconds. */
export const configurationRow = z.strictObject({
    issuer: z.string(),
    id: z.string(),
    /** JSON text of a Definition. */
    definition: z.string(),
    created_at: z.string(),
});
export type ConfigurationRow = z.infer<typeof configurationRow>;

/** An offer as its account sees it. */
export const offerRow = z.strictObject({
    id: z.string(),
    issuer: z.string(),
    configuration: z.string(),
    created_at: z.string(),
    expires_at: z.string(),
    code_used_at: z.string().nullable(),
    token_expires_at: z.string().nullable(),
    tx_failures: z.number(),
    notification: z.string().nullable(),
    /** Of the credentials that were issued. */
    credentials: z.array(z.string()),
});
export type OfferRow = z.infer<typeof offerRow>;

/** A configuration of an issuer of an account. */
export interface OwnConfiguration {
    account: string;
    issuer: string;
    id: string;
}

/** An offer of an account. */
export interface OwnOffer {
    account: string;
    id: string;
}

/** Number of wrong transaction codes that end an offer. Beyond it: no code is accepted, not even the right one. */
export const MAX_TX_FAILURES = 5;

export function configurationOf({ issuer, id, definition, created_at }: ConfigurationRow): Configuration {
    return { issuer_id: issuer, configuration_id: id, ...definitionIn(definition), created_at };
}

/** The JSON text of a definition as it is stored. Its paths have the form of the standard. */
export function definitionText({ claims, ...definition }: Definition): string {
    return JSON.stringify({
        ...definition,
        claims: claims.map(({ path, ...claim }) => ({ path: path.map(partOf), ...claim })),
    });
}

export function definitionIn(text: string): Definition {
    const { claims, ...definition } = JSON.parse(text) as StoredDefinition; // the service has written it
    return { ...definition, claims: claims.map(({ path, ...claim }) => ({ path: path.map(stepOf), ...claim })) };
}

export function offerOf(row: OfferRow, now: number): Offer {
    return {
        offer_id: row.id,
        issuer_id: row.issuer,
        configuration_id: row.configuration,
        state: stateOf(row, now),
        created_at: row.created_at,
        expires_at: row.expires_at,
        credential_ids: row.credentials,
        notification: row.notification ?? undefined,
    };
}

function stateOf({ credentials, code_used_at, tx_failures, ...row }: OfferRow, now: number): string {
    if (credentials.length > 0) return 'issued';
    if (tx_failures >= MAX_TX_FAILURES) return 'locked';
    const until = row.token_expires_at ?? row.expires_at;
    if (Date.parse(until) <= now) return 'expired';
    return code_used_at === null ? 'open' : 'redeemed';
}
