import { WEBHOOK_TYPES } from '../../proto/event-types.ts';
import { KEY_ALGORITHMS } from '../../proto/key-algorithms.ts';
import { TIERS } from '../../proto/tiers.ts';

/** What a field means. */
export interface Term {
    description: string;
    format?: string;
    enum?: readonly string[];
    /** Replaces the schema of a field whose value the gateway reads from text. */
    schema?: Readonly<Record<string, unknown>>;
}
/** The meanings of fields, by name. A text is a description. */
export type Terms = Readonly<Record<string, string | Term>>;

/**
 * The fields that several endpoints have. The notes of an endpoint (`fields` in operations/) describe the fields that
 * only this endpoint has, and those that mean something else here.
 */
export const GLOSSARY: Terms = {
    user_id: 'Id of an account.',
    email: [
        'Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII',
        'form (`xn--…`).',
    ].join(' '),
    password: 'Password of an account: at least 8 characters.',
    name: 'Display name. White space at both ends is removed.',
    tier: { description: 'Tier, which sets the number of requests per minute.', enum: TIERS },
    token: 'Session token: a JWT for `Authorization: Bearer`.',
    refresh_token: 'JWT that can be exchanged once for a new pair of tokens.',
    expires_at: 'When it expires.',
    created_at: 'When it was created.',
    updated_at: 'When it was changed.',
    revoked_at: 'When it was revoked.',
    suspended: 'Whether the account is suspended.',
    suspended_at: { description: 'When it was suspended. Null if it is not suspended.', format: 'date-time' },
    issued_at: 'When it was issued.',
    stored_at: 'When it was first stored.',
    last_login_at: 'When the account last logged in. Null before the first login.',
    last_used_at: 'When this key was last used, at most two seconds late. Null before the first call.',

    key_id: 'Id of an API key.',
    key_prefix: 'The masked key.',
    rate_limit: 'Requests per minute.',
    active: 'Whether the key is neither revoked nor expired.',
    scopes: 'What the key may be used for. Absent: for everything.',
    allowed_addresses: 'Networks that the key may be used from, in CIDR notation. Absent: from everywhere.',
    replaced_by: 'Id of the key that has replaced this one. Absent if it was not replaced.',

    did: 'DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web.',
    '@context': 'JSON-LD contexts.',
    id: 'The DID, or the DID and the fragment of a key.',
    verificationMethod: 'The public keys of the DID.',
    type: 'Type of the key.',
    controller: 'The DID that controls the key.',
    publicKeyMultibase: 'Multicodec key in base58btc.',
    publicKeyJwk: 'The key as a JWK (RFC 7517).',
    kty: 'Type of the key: `OKP`, or `EC` for P-256.',
    crv: 'Curve of the key: `Ed25519` or `P-256`.',
    x: 'The key, or its x coordinate, in base64url.',
    y: 'Its y coordinate in base64url. Absent for Ed25519.',
    authentication: 'Keys that authenticate the DID.',
    assertionMethod: 'Keys that sign credentials.',
    derive: {
        description: 'Whether to resolve a valid DID even if it is not recorded here. Default: false.',
        schema: { type: 'boolean' },
    },
    public_key: 'Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256.',
    private_key: 'Ed25519 private key in base64: seed (32 bytes), then public key. A new DID shows it only once.',

    exported_at: 'When the export began.',
    credential_id: 'Id of a credential: `urn:uuid:…`.',
    credential: 'A credential: a PASETO v4 public token, or an SD-JWT VC if `format` was `dc+sd-jwt`.',
    disclosable:
        'What the holder may hide: JSON pointers into `claims`, also to parts of claims. Default: each claim as a whole.',
    holder_key: 'The public key of the holder, as a JWK of P-256 or Ed25519.',
    holder_did_url: 'A DID URL that names the key of the holder: of a did:key or did:jwk.',
    credentials: 'Credentials. In statistics: their counts.',
    credential_type: 'Type of the credential: any text.',
    claims: 'Statements about the subject: a JSON object of at most 64 KiB, signed exactly as sent. An SD-JWT has their values, not their spelling.',
    disclosed:
        'Only of an SD-JWT: the claims that its holder could have hidden and has disclosed, as JSON pointers into `claims`.',
    status_list:
        'In a request: whether the credential gets a place on a status list, so that its revocation can be checked without asking this service. Default: false. In an answer: its place.',
    status: 'Where the status of the credential can be read, as its token says. Absent unless `status_list` was true.',
    idx: 'Index of the credential on the list.',
    uri: 'Address of the list.',
    iss: 'The did:key that signs the list.',
    issuer: 'DID of the issuer.',
    issuer_id: 'Id of a managed issuer.',
    keys: 'The keys of the issuer, newest first.',
    kid: 'The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256.',
    alg: {
        description: 'What the key signs with. PASETO tokens need `EdDSA`.',
        enum: [...KEY_ALGORITHMS],
    },
    state: '`active` signs. `retired` only verifies. `compromised` does neither.',
    method: { description: 'DID method of the issuer.', enum: ['key', 'web'] },
    archived_at: 'When it was archived. Absent if it still signs.',
    retired_at: 'When another key replaced it. Absent if it is active.',
    compromised_at: 'When it was marked as compromised.',
    issuer_did: 'DID of the issuer: a did:key, or a did:web of this service.',
    issuer_private_key:
        "The issuer's Ed25519 private key in base64: 32 bytes (seed) or 64. Left out for a managed issuer of the account.",
    subject: 'DID of the subject.',
    subject_did: 'DID of the subject, of any method. That of a new credential has at most 1,024 characters.',
    expiration_date: 'ISO 8601 date, or date and time with an offset. Default: never.',
    valid: 'Whether all checks passed.',
    revoked: 'Whether it is revoked. False if that was not checked.',
    expired: 'Whether it has expired.',
    check_revocation: 'Whether to check for revocation too. Default: false.',
    reason: 'Why it was revoked.',
    error: 'Why it is invalid.',

    items: 'The items of the batch: 1 to 1,000.',
    results: 'A result for each item, in the order in which they were sent.',
    index: 'Place of the item in the batch. The first is 0.',
    ok: 'Whether the item succeeded.',
    code: 'Kind of the error, as `X-Error-Code` shows it for a single call.',
    total_succeeded: 'Number of items that succeeded.',
    total_failed: 'Number of items that failed.',

    presentation_id: 'Id of a presentation: `urn:uuid:…`.',
    presentation: 'A presentation: a PASETO v4 public token.',
    holder: 'DID of the holder.',
    audience: 'DID of the verifier that the presentation is for.',
    credentials_count: 'Number of credentials in the presentation.',
    nonce: "The verifier's challenge.",

    wallet_id: 'Id of a wallet.',
    metadata: 'Data to store with the credential: a JSON object of at most 16 KiB.',
    'x-wallet-password': 'Password of the wallet (UTF-8).',

    session_id: 'Id of the session.',

    webhook_id: 'Id of a webhook.',
    notification:
        'What the wallet has last said about the credentials of an offer: `credential_accepted`, `credential_failure` or `credential_deleted`.',
    offer_id: 'Id of an offer.',
    length: 'How many characters the transaction code has.',
    input_mode: '`numeric`: digits. `text`: letters and digits.',
    credential_issuer: 'Identifies the issuer: its URL.',
    dpop: 'A DPoP proof (RFC 9449), if the token is bound to a key.',
    configuration_id:
        'Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit.',
    credential_ids: 'The credentials that wallets have got.',
    format: 'The form of credentials: `dc+sd-jwt`. When one is issued without it, it is a PASETO.',
    vct: 'The type in credentials of this form: a URI. When one is issued, it is its `credential_type` by default.',
    display: 'What a wallet shows, in each language.',
    max_keys: 'How many keys of a wallet one offer may bind credentials to.',
    proof_algs: 'The algorithms of these keys.',
    path: 'What leads to the claim: names, indexes in arrays, and `null` for all elements of an array.',
    mandatory: 'Whether every credential has the claim.',
    locale: 'A language tag, such as `en` or `de-AT`.',
    background_color: 'For example `#12ab34`.',
    text_color: 'For example `#12ab34`.',
    logo: 'The https URL of an image.',
    url: 'Where the events are sent: https, at most 2,048 characters, port 443 or from 1,024 on, a public address.',
    types: `Types of the events that are sent. Empty: all of ${WEBHOOK_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
    description: 'What it is for, in the words of its owner: at most 500 characters.',
    failing_since: { description: 'The first failure since the last success.', format: 'date-time' },
    delivery_id: 'Id of a delivery.',

    event_id: 'Id of an event. It is the same whenever the event is read.',
    seq: 'Number of the event in the stream of the account. The first one is 1.',
    timestamp: { description: 'When it happened.', format: 'date-time' },
    data: 'What the event is about.',
    successor_id: 'Id of the API key that replaces `key_id`.',
    after: {
        description: 'Only events after this number. Default: 0.',
        schema: { type: 'integer', minimum: 0 },
    },
    limit: {
        description: 'Rows per page, 1 to 1,000. Without it the answer contains the whole list.',
        schema: { type: 'integer', minimum: 1, maximum: 1_000 },
    },
    cursor: 'Start of the page, from the `Link` header of the previous page.',
    total: 'Total number.',

    dids: 'Counts of DIDs.',
    presentations: 'Counts of presentations.',
    wallets: 'Counts of wallets.',
    api_usage: 'Counts of requests, at most two seconds late.',
    users: 'Accounts.',
    period: 'Month of the counts: `YYYY-MM`.',
    created_this_month: 'Number created since the month began, in UTC.',
    issued_this_month: 'Number issued since the month began, in UTC.',
    total_active: 'Number issued and not revoked.',
    rate_limit_hits: 'Requests of this month that were refused with 429.',
    credentials_stored: 'Credentials in wallets.',
    total_created: 'Total number created.',
    total_issued: 'Total number issued.',
    total_revoked: 'Total number revoked.',
    total_verified: 'Total number verified.',
    requests_today: 'Requests since 00:00 UTC.',
    requests_this_month: 'Requests since the month began, in UTC.',
};
