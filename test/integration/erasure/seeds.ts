import type { Counting } from '../../../services/counts/pending.store.ts';
import { MANY } from './erasure.fixture.ts';

type Query = (text: string) => Promise<unknown>;

interface Seed {
    /** Statements that insert rows of the account $1. $2: how many. */
    rows: readonly string[];
    /** The kinds of rows that are counted, with the number of those of $2. */
    counted?: Record<string, string>;
    claims?: true;
}

const ID = `md5($1::text || n)::uuid`;
const FROM = 'FROM generate_series(1, $2::int) AS n';

/** Rows of an account in each schema that EraseAccount erases, but events. */
export const SEEDS: Record<Exclude<Counting, 'identity'> | 'signing' | 'webhooks' | 'exchange', Seed> = {
    keys: {
        rows: [
            `INSERT INTO keys.accounts (account, active_keys, all_keys) VALUES ($1, $2, $2)`,
            `INSERT INTO keys.keys (key_id, account, hash, mask, name, tier, created_at, updated_at)
             SELECT ${ID}, $1, sha256(($1::text || n)::bytea), 'm', 'a secret name', 'free', now(), now() ${FROM}`,
        ],
        counted: { api_keys_active: '$2' },
        claims: true,
    },
    did: {
        rows: [
            `INSERT INTO did.dids (did, public_key, account, origin, created_at)
             SELECT 'did:key:' || $1::text || n, '', $1, CASE n % 2 WHEN 0 THEN 'wallet' ELSE 'generated' END, now() ${FROM}`,
            `INSERT INTO did.accounts (account, slot, dids) VALUES ($1, 1, $2)`,
        ],
        counted: { dids_created: '($2 + 1) / 2' },
        claims: true,
    },
    credentials: {
        rows: [
            `INSERT INTO credentials.credentials
                (id, account, issued_at, revoked_at, issuer, subject, credential_type, revocation_reason)
             SELECT ${ID}, $1, now(), CASE n % 2 WHEN 0 THEN now() END, 'did:web:issuer', 'did:web:person-' || n, 'Membership',
                    CASE n % 2 WHEN 0 THEN 'a secret reason' END
             ${FROM}`,
        ],
        counted: { credentials_issued: '$2', credentials_revoked: '$2 / 2' },
        claims: true,
    },
    presentations: {
        rows: [
            `INSERT INTO presentations.presentations (id, account, created_at, credentials_count, holder, audience)
             SELECT ${ID}, $1, now(), 1, 'did:web:holder', 'did:web:verifier' ${FROM}`,
        ],
        counted: { presentations_created: '$2' },
        claims: true,
    },
    wallet: {
        // One wallet has half of all entries.
        rows: [
            `INSERT INTO wallet.wallets (id, account, created_at, salt, memory_kib, passes, data_key, private_key, profile)
             SELECT ${ID}, $1, now(), '', 1, 1, '', '', '' FROM generate_series(1, $2::int / 10) AS n`,
            `INSERT INTO wallet.credentials (wallet, credential, entry, stored_at, issuer_tag, sealed)
             SELECT CASE n % 2 WHEN 0 THEN md5($1::text || 1)::uuid ELSE md5($1::text || (1 + n % ($2 / 10)))::uuid END,
                    ${ID}, ${ID}, now(), '', 'abc' ${FROM}`,
            `INSERT INTO wallet.accounts (account, wallets) VALUES ($1, $2)`,
        ],
        counted: { wallets: '$2 / 10', wallet_credentials: '$2', wallet_bytes: '3 * $2' },
        claims: true,
    },
    signing: {
        rows: [
            `INSERT INTO signing.data_keys (id, account, kek, wrapped, created_at)
             SELECT md5($1::text || 0)::uuid, $1, 'kek', 'wrapped', now() WHERE $2 > 0`,
            `INSERT INTO signing.issuers (id, account, did, method, name, created_at)
             SELECT ${ID}, $1, 'did:web:host:' || $1::text || n, 'web', 'a secret name', now() ${FROM}`,
            `INSERT INTO signing.keys (kid, issuer, sealed, data_key, created_at, compromised_at, reason)
             SELECT 'z6Mk' || $1::text || n, ${ID}, 'sealed', md5($1::text || 0)::uuid, now(),
                    CASE n % 2 WHEN 0 THEN now() END, CASE n % 2 WHEN 0 THEN 'a secret reason' END ${FROM}`,
            `INSERT INTO signing.webhook_secrets (id, webhook, account, sealed, data_key, created_at)
             SELECT ${ID}, ${ID}, $1, 'sealed', md5($1::text || 0)::uuid, now() ${FROM}`,
            `INSERT INTO signing.accounts (account, issuers) VALUES ($1, $2)`,
        ],
        claims: true,
    },
    webhooks: {
        rows: [
            `INSERT INTO webhooks.endpoints (id, account, url, types, description, state, created_at, cursor)
             SELECT ${ID}, $1, 'https://secret.example', '{}', 'a secret name', 'active', now(), 0 ${FROM}`,
            `INSERT INTO webhooks.deliveries (id, endpoint, event_id, type, body, state, created_at)
             SELECT ${ID}, md5($1::text || n % 9)::uuid, 'a', 'key.created', 'secret', 'waiting', now() ${FROM}`,
            `INSERT INTO webhooks.accounts (account, endpoints) VALUES ($1, $2)`,
        ],
        claims: true,
    },
    exchange: {
        rows: [
            `INSERT INTO exchange.configurations (issuer, id, account, definition, created_at)
             SELECT ${ID}, 'a secret name', $1, '{}', now() ${FROM}`,
            `INSERT INTO exchange.offers
                (id, account, issuer, issuer_did, configuration, secret_hash, code_hash, sealed, bindings, created_at, expires_at)
             SELECT ${ID}, $1, ${ID}, 'did:web:host', 'a secret name', sha256(($1::text || n)::bytea), sha256(($1::text || n)::bytea),
                    'sealed', '{"a": "urn:uuid:secret"}', now(), now() ${FROM}`,
            `INSERT INTO exchange.accounts (account, offers) VALUES ($1, $2)`,
        ],
        claims: true,
    },
    usage: {
        rows: [
            `INSERT INTO usage.keys (key_id, account, last_used_at, day, requests_of_day, requests_of_month)
             SELECT ${ID}, $1, now(), now(), 1, 1 ${FROM}`,
            `INSERT INTO usage.days (account, day, requests, logins)
             SELECT $1, current_date - n, $2, 0 FROM generate_series(1, 9) AS n`,
        ],
        counted: { requests: '$2' },
    },
};

/** Adds rows of an account to a schema, with pending counts of them. */
export async function seed(query: Query, schema: keyof typeof SEEDS, account: string, many = MANY): Promise<void> {
    const { rows, counted = {}, claims } = SEEDS[schema];
    const statements = [
        ...rows,
        ...Object.entries(counted).map(
            ([kind, amount]) =>
                `INSERT INTO ${schema}.deltas (account, kind, day, amount) VALUES ($1, '${kind}', current_date, ${amount})`,
        ),
        ...(claims
            ? [
                  `INSERT INTO ${schema}.idempotency (scope_hash, fingerprint, claimant, id, made_at)
                   SELECT sha256(('${schema}' || $1::text || n)::bytea), '', $1, ${ID}, now() ${FROM}`,
              ]
            : []),
    ];
    for (const statement of statements)
        await query(statement.replaceAll('$1', `'${account}'::uuid`).replaceAll('$2', String(many)));
}
