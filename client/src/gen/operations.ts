// Generated from the OpenAPI document by "npm run client". Do not edit.

import type { Call, ListMethod } from '../call.ts';
import type { CallOptions, Operation } from '../operation.ts';
import type {
    AdminAuditData,
    AdminAuditInput,
    AdminCreateUsersData,
    AdminCreateUsersInput,
    AdminImportUsersData,
    AdminImportUsersInput,
    AdminRestoreUserData,
    AdminRestoreUserInput,
    AdminStatsData,
    AdminSuspendUserData,
    AdminSuspendUserInput,
    AuthLoginData,
    AuthLoginInput,
    AuthLogoutData,
    AuthLogoutInput,
    AuthMeData,
    AuthRefreshData,
    AuthRefreshInput,
    AuthRegisterData,
    AuthRegisterInput,
    ConfigurationsCreateData,
    ConfigurationsCreateInput,
    ConfigurationsDeleteData,
    ConfigurationsDeleteInput,
    ConfigurationsGetData,
    ConfigurationsGetInput,
    ConfigurationsListData,
    ConfigurationsListInput,
    CredentialsBatchIssueData,
    CredentialsBatchIssueInput,
    CredentialsBatchRevokeData,
    CredentialsBatchRevokeInput,
    CredentialsBatchStatusData,
    CredentialsBatchStatusInput,
    CredentialsBatchVerifyData,
    CredentialsBatchVerifyInput,
    CredentialsByIssuerData,
    CredentialsByIssuerInput,
    CredentialsBySubjectData,
    CredentialsBySubjectInput,
    CredentialsIssueData,
    CredentialsIssueInput,
    CredentialsRevokeData,
    CredentialsRevokeInput,
    CredentialsStatusData,
    CredentialsStatusInput,
    CredentialsVerifyData,
    CredentialsVerifyInput,
    DidCreateData,
    DidCreateInput,
    DidDocumentData,
    DidDocumentInput,
    DidResolveData,
    DidResolveInput,
    EventsListData,
    EventsListInput,
    ExchangeCredentialData,
    ExchangeCredentialInput,
    ExchangeIssuerMetadataData,
    ExchangeIssuerMetadataInput,
    ExchangeNonceData,
    ExchangeNonceInput,
    ExchangeNotificationData,
    ExchangeNotificationInput,
    ExchangeOfferData,
    ExchangeOfferInput,
    ExchangeServerMetadataData,
    ExchangeServerMetadataInput,
    ExchangeTokenData,
    ExchangeTokenInput,
    HealthData,
    IssuersArchiveData,
    IssuersArchiveInput,
    IssuersCreateData,
    IssuersCreateInput,
    IssuersDocumentData,
    IssuersDocumentInput,
    IssuersGetData,
    IssuersGetInput,
    IssuersListData,
    IssuersListInput,
    IssuersMarkCompromisedData,
    IssuersMarkCompromisedInput,
    IssuersRotateData,
    IssuersRotateInput,
    KeysGenerateData,
    KeysGenerateInput,
    KeysGetData,
    KeysGetInput,
    KeysListData,
    KeysListInput,
    KeysRenameData,
    KeysRenameInput,
    KeysRevokeData,
    KeysRevokeInput,
    KeysRotateData,
    KeysRotateInput,
    KeysUpdateData,
    KeysUpdateInput,
    KeysVerifyData,
    KeysVerifyInput,
    MeChangePasswordData,
    MeChangePasswordInput,
    MeDeleteData,
    MeDeleteInput,
    MeExportData,
    MeGetData,
    MeQuotasData,
    MeStatsData,
    MeUpdateData,
    MeUpdateInput,
    OffersCreateData,
    OffersCreateInput,
    OffersDeleteData,
    OffersDeleteInput,
    OffersGetData,
    OffersGetInput,
    OffersListData,
    OffersListInput,
    PresentationsCreateData,
    PresentationsCreateInput,
    PresentationsVerifyData,
    PresentationsVerifyInput,
    StatusListsGetData,
    StatusListsGetInput,
    StatusListsListData,
    SubjectsEraseData,
    SubjectsEraseInput,
    WalletsAddCredentialData,
    WalletsAddCredentialInput,
    WalletsCreateData,
    WalletsCreateInput,
    WalletsDeleteCredentialData,
    WalletsDeleteCredentialInput,
    WalletsListCredentialsData,
    WalletsListCredentialsInput,
    WalletsOpenData,
    WalletsOpenInput,
    WebhooksCreateData,
    WebhooksCreateInput,
    WebhooksDeleteData,
    WebhooksDeleteInput,
    WebhooksDeliveriesData,
    WebhooksDeliveriesInput,
    WebhooksGetData,
    WebhooksGetInput,
    WebhooksListData,
    WebhooksListInput,
    WebhooksReplayData,
    WebhooksReplayInput,
    WebhooksRotateSecretData,
    WebhooksRotateSecretInput,
    WebhooksTestData,
    WebhooksTestInput,
    WebhooksUpdateData,
    WebhooksUpdateInput,
} from './types.ts';

/** Every operation of the service. */
export interface Api {
    keys: {
        /**
         * Generate an API key.
         * Only this answer contains the complete key, because the service stores only its hash. A restriction is an end (`expires_at`, at most ten years ahead), a list of scopes, or a list of networks in CIDR notation. A key without one is not restricted in this way, and answers then leave the field out.
         *
         * `POST /v1/keys/generate`
         */
        generate(input: KeysGenerateInput, options?: CallOptions): Call<KeysGenerateData>;
        /**
         * List API keys.
         * Newest first, including revoked keys.
         *
         * `GET /v1/keys`
         */
        list: ListMethod<[input?: KeysListInput], KeysListData, KeysListData['keys'][number]>;
        /**
         * Get an API key.
         *
         * `GET /v1/keys/{key_id}`
         */
        get(input: KeysGetInput, options?: CallOptions): Call<KeysGetData>;
        /**
         * Revoke an API key.
         * A revocation is permanent and takes effect at once: a call with the key that begins after the answer is refused. A repeated revocation gets the same answer as the first one.
         *
         * `DELETE /v1/keys/{key_id}`
         */
        revoke(input: KeysRevokeInput, options?: CallOptions): Call<KeysRevokeData>;
        /**
         * Change an API key.
         * Changes the name or the restrictions of a key. `null` removes a restriction. A change is in force at once: it holds for every call that begins after the answer. An expired key with a later `expires_at` is active again. After 503 the change may be made, but not every gateway may know it yet: repeat the call. A repeated call gets the same answer. A restriction is an end (`expires_at`, at most ten years ahead), a list of scopes, or a list of networks in CIDR notation. A key without one is not restricted in this way, and answers then leave the field out.
         *
         * `PATCH /v1/keys/{key_id}`
         */
        update(input: KeysUpdateInput, options?: CallOptions): Call<KeysUpdateData>;
        /**
         * @deprecated It is now called `keys.update`.
         */
        rename(input: KeysRenameInput, options?: CallOptions): Call<KeysRenameData>;
        /**
         * Rotate an API key.
         * Creates a key that replaces this one, with the same name, tier and restrictions. Both keys work during the overlap, so that callers can change over without a failed call. Then the old key ends, or earlier if it expires earlier. The two keys count as one active key and share a rate limit. A key that the old one has replaced ends at once. Only this answer contains the complete new key.
         *
         * `POST /v1/keys/{key_id}/rotate`
         */
        rotate(input: KeysRotateInput, options?: CallOptions): Call<KeysRotateData>;
    };
    did: {
        /**
         * Create a DID.
         * Without `public_key` the service creates a key pair. Only this answer contains the private key, because the service does not store it. With `public_key` every call returns the same DID.
         *
         * `POST /v1/did`
         */
        create(input?: DidCreateInput, options?: CallOptions): Call<DidCreateData>;
        /**
         * Resolve a DID.
         *
         * `GET /v1/did/{did}`
         */
        resolve(input: DidResolveInput, options?: CallOptions): Call<DidResolveData>;
        /**
         * Get the DID document.
         *
         * `GET /v1/did/{did}/document`
         */
        document(input: DidDocumentInput, options?: CallOptions): Call<DidDocumentData>;
    };
    issuers: {
        /**
         * Create a managed issuer.
         * The service creates the key and keeps it: no answer ever contains it. With `method` `key`, the DID is a did:key. With `web`, it is a did:web of this service, whose key can be rotated. With `alg` `ES256`, which only `web` may have, the first key is one of P-256; a key of `EdDSA`, with which PASETO tokens are signed, comes with a rotation that names it. Calls that issue or present with this DID need no private key.
         *
         * `POST /v1/issuers`
         */
        create(input: IssuersCreateInput, options?: CallOptions): Call<IssuersCreateData>;
        /**
         * List managed issuers.
         * Newest first, including archived issuers.
         *
         * `GET /v1/issuers`
         */
        list: ListMethod<[input?: IssuersListInput], IssuersListData, IssuersListData['issuers'][number]>;
        /**
         * Get a managed issuer.
         *
         * `GET /v1/issuers/{issuer_id}`
         */
        get(input: IssuersGetInput, options?: CallOptions): Call<IssuersGetData>;
        /**
         * Archive an issuer.
         * The issuer signs no more. What it has signed stays valid, and its DID document stays. This cannot be undone. The answer comes after about a second: then the change is in force in every process.
         *
         * `DELETE /v1/issuers/{issuer_id}`
         */
        archive(input: IssuersArchiveInput, options?: CallOptions): Call<IssuersArchiveData>;
        /**
         * Rotate the key of an issuer.
         * Creates a key, which signs from now on in place of the active key for the same algorithm. If there is none, it is the first one: an issuer may have an active key of `EdDSA` and one of `ES256`. Without `alg`, the key is one of `EdDSA`, unless the issuer has had keys of `ES256` only. What the earlier keys have signed stays valid. The answer comes after about a second: then the change is in force in every process.
         *
         * `POST /v1/issuers/{issuer_id}/rotate`
         */
        rotate(input: IssuersRotateInput, options?: CallOptions): Call<IssuersRotateData>;
        /**
         * Mark a key as compromised.
         * Nothing that the key has signed is valid any more, and the DID document no longer has it. If the key was active, rotate the issuer before it signs again. This cannot be undone. The answer comes after about a second: then the change is in force in every process.
         *
         * `POST /v1/issuers/{issuer_id}/keys/{kid}/compromised`
         */
        markCompromised(input: IssuersMarkCompromisedInput, options?: CallOptions): Call<IssuersMarkCompromisedData>;
        /**
         * Get the DID document of a did:web issuer.
         * Whoever resolves the DID reads this document, without an account. It has every key of the issuer that is not compromised, also after the issuer was archived: one of Ed25519 as `publicKeyMultibase`, one of P-256 as `publicKeyJwk`.
         *
         * `GET /issuers/{issuer_id}/did.json`
         */
        document(input: IssuersDocumentInput, options?: CallOptions): Call<IssuersDocumentData>;
    };
    credentials: {
        /**
         * Issue a credential.
         * Signs a PASETO v4 public token, in which the claims are exactly as they were sent, or an SD-JWT VC if `format` is `dc+sd-jwt`. The example has a managed issuer. An issuer that keeps its own key also sends `issuer_private_key`, which must belong to `issuer_did`. The service stores neither the claims nor a private key that it was sent.
         *
         * `POST /v1/credentials`
         */
        issue(input: CredentialsIssueInput, options?: CallOptions): Call<CredentialsIssueData>;
        /**
         * Verify a credential.
         * A completed check is answered with 200, whatever it finds: for an invalid credential `valid` is false and `error` says why. The credential is a v4.public token or an SD-JWT VC (`dc+sd-jwt`) without the signature of its holder; any other text is refused with 400.
         *
         * `POST /v1/credentials/verify`
         */
        verify(input: CredentialsVerifyInput, options?: CallOptions): Call<CredentialsVerifyData>;
        /**
         * Revoke a credential.
         * A revocation is permanent. A repeated call gets the same answer as the first call.
         *
         * `POST /v1/credentials/revoke/{credential_id}`
         */
        revoke(input: CredentialsRevokeInput, options?: CallOptions): Call<CredentialsRevokeData>;
        /**
         * Get the revocation status of a credential.
         *
         * `GET /v1/credentials/status/{credential_id}`
         */
        status(input: CredentialsStatusInput, options?: CallOptions): Call<CredentialsStatusData>;
        /**
         * List credentials by issuer.
         * Lists the credentials of a DID, newest first: all of them if the account of the caller owns the DID, otherwise those that the caller issued.
         *
         * `GET /v1/credentials/by-issuer/{issuer_did}`
         */
        byIssuer: ListMethod<
            [input: CredentialsByIssuerInput],
            CredentialsByIssuerData,
            CredentialsByIssuerData['credentials'][number]
        >;
        /**
         * List credentials by subject.
         * Lists the credentials of a DID, newest first: all of them if the account of the caller owns the DID, otherwise those that the caller issued.
         *
         * `GET /v1/credentials/by-subject/{subject_did}`
         */
        bySubject: ListMethod<
            [input: CredentialsBySubjectInput],
            CredentialsBySubjectData,
            CredentialsBySubjectData['credentials'][number]
        >;
        batch: {
            /**
             * Issue up to 1,000 credentials.
             * Issues credentials of one issuer, as single calls would. The example has a managed issuer. An issuer that keeps its own key also sends `issuer_private_key`, which must belong to `issuer_did`. The answer is 200 and has a result for each item, in the order in which they were sent. One bad item does not affect the others. Items without time left have the code `deadline` after 28 s. Each item counts as a request: a batch within the rate limit is done, any other is refused with 429 before its first item. A batch of more items than the whole limit is refused with 400. One batch of an account is worked on at a time; of further ones up to 64 wait, for 10 s at most. A batch that is repeated with its `Idempotency-Key` returns the credentials that were issued, and issues the missing ones.
             *
             * `POST /v1/credentials/batch/issue`
             */
            issue(input: CredentialsBatchIssueInput, options?: CallOptions): Call<CredentialsBatchIssueData>;
            /**
             * Verify up to 1,000 credentials.
             * Checks credentials, as single calls would. `ok` says that an item was checked, and `valid` what the check found. The answer is 200 and has a result for each item, in the order in which they were sent. One bad item does not affect the others. Items without time left have the code `deadline` after 28 s. Each item counts as a request: a batch within the rate limit is done, any other is refused with 429 before its first item. A batch of more items than the whole limit is refused with 400. One batch of an account is worked on at a time; of further ones up to 64 wait, for 10 s at most.
             *
             * `POST /v1/credentials/batch/verify`
             */
            verify(input: CredentialsBatchVerifyInput, options?: CallOptions): Call<CredentialsBatchVerifyData>;
            /**
             * Revoke up to 1,000 credentials.
             * Revokes credentials of one issuer, as single calls would. Each item with the same id is answered with the first revocation. The answer is 200 and has a result for each item, in the order in which they were sent. One bad item does not affect the others. Items without time left have the code `deadline` after 28 s. Each item counts as a request: a batch within the rate limit is done, any other is refused with 429 before its first item. A batch of more items than the whole limit is refused with 400. One batch of an account is worked on at a time; of further ones up to 64 wait, for 10 s at most.
             *
             * `POST /v1/credentials/batch/revoke`
             */
            revoke(input: CredentialsBatchRevokeInput, options?: CallOptions): Call<CredentialsBatchRevokeData>;
            /**
             * Get the revocation status of up to 1,000 credentials.
             * The answer is 200 and has a result for each item, in the order in which they were sent. One bad item does not affect the others. Items without time left have the code `deadline` after 28 s. Each item counts as a request: a batch within the rate limit is done, any other is refused with 429 before its first item. A batch of more items than the whole limit is refused with 400. One batch of an account is worked on at a time; of further ones up to 64 wait, for 10 s at most.
             *
             * `POST /v1/credentials/batch/status`
             */
            status(input: CredentialsBatchStatusInput, options?: CallOptions): Call<CredentialsBatchStatusData>;
        };
    };
    statusLists: {
        /**
         * Get the addresses of all status lists.
         * For programs that keep a copy of all lists.
         *
         * `GET /v1/status-lists`
         */
        list(options?: CallOptions): Call<StatusListsListData>;
        /**
         * Get a status list.
         * A Token Status List of the IETF: a JWT with a compressed bit for each credential, which is 1 if the credential was revoked. A revocation is in the list that is fetched 15 s later (`STATUS_LIST_SECONDS`). Clients and proxies may keep the answer for 60 s. Calls count against the limit of their address.
         *
         * `GET /v1/status-lists/{list_id}`
         */
        get(input: StatusListsGetInput, options?: CallOptions): Call<StatusListsGetData>;
    };
    presentations: {
        /**
         * Create a presentation.
         * Bundles 1 to 100 credentials for one verifier. Each credential must have a valid signature. Expired and revoked credentials are accepted, because the verifier checks that. The example has a managed issuer as the holder. A holder that keeps its own key also sends `holder_private_key`.
         *
         * `POST /v1/presentations`
         */
        create(input: PresentationsCreateInput, options?: CallOptions): Call<PresentationsCreateData>;
        /**
         * Verify a presentation.
         * A completed check is answered with 200, whatever it finds. One invalid credential makes the presentation invalid. The answer lists the results of all credentials.
         *
         * `POST /v1/presentations/verify`
         */
        verify(input: PresentationsVerifyInput, options?: CallOptions): Call<PresentationsVerifyData>;
    };
    wallets: {
        /**
         * Create a wallet.
         * The wallet has its own key pair and DID. Its contents are sealed under a key that is derived from the password (Argon2id, AES-256-GCM). A lost password cannot be restored.
         *
         * `POST /v1/wallets`
         */
        create(input: WalletsCreateInput, options?: CallOptions): Call<WalletsCreateData>;
        /**
         * Open a wallet.
         *
         * `POST /v1/wallets/open`
         */
        open(input: WalletsOpenInput, options?: CallOptions): Call<WalletsOpenData>;
        /**
         * Store a credential in a wallet.
         * The credential must have a valid signature. If it is already stored, its entry gets the new metadata.
         *
         * `POST /v1/wallets/{wallet_id}/credentials`
         */
        addCredential(input: WalletsAddCredentialInput, options?: CallOptions): Call<WalletsAddCredentialData>;
        /**
         * List the credentials in a wallet.
         * The password is required. Send it in `X-Wallet-Password` rather than in the query, because servers and proxies may log URLs.
         *
         * `GET /v1/wallets/{wallet_id}/credentials`
         */
        listCredentials: ListMethod<
            [input: WalletsListCredentialsInput],
            WalletsListCredentialsData,
            WalletsListCredentialsData['credentials'][number]
        >;
        /**
         * Delete a credential from a wallet.
         * The password is required, in the body or in `X-Wallet-Password`.
         *
         * `DELETE /v1/wallets/{wallet_id}/credentials/{credential_id}`
         */
        deleteCredential(input: WalletsDeleteCredentialInput, options?: CallOptions): Call<WalletsDeleteCredentialData>;
    };
    events: {
        /**
         * List events.
         * What has happened to the objects of the account, oldest first. Each event has the next number, without gaps. Call again with `after` set to the `next` of the answer: while there are no new events, `events` is empty and `next` stays the same. An event is listed about a second after what it reports, and is kept for 400 days.
         *
         * `GET /v1/events`
         */
        list(input?: EventsListInput, options?: CallOptions): Call<EventsListData>;
    };
    webhooks: {
        /**
         * Create a webhook.
         * The service sends every event of these types that happens from now on to the URL, as Standard Webhooks 1.0.0 says: signed, at least once, in any order. An answer with 2xx in time is a success; anything else is a failure, also a redirect. A failed delivery is attempted again for 24 hours.
         *
         * `POST /v1/webhooks`
         */
        create(input: WebhooksCreateInput, options?: CallOptions): Call<WebhooksCreateData>;
        /**
         * List webhooks.
         * Newest first.
         *
         * `GET /v1/webhooks`
         */
        list: ListMethod<[input?: WebhooksListInput], WebhooksListData, WebhooksListData['webhooks'][number]>;
        /**
         * Get a webhook.
         *
         * `GET /v1/webhooks/{webhook_id}`
         */
        get(input: WebhooksGetInput, options?: CallOptions): Call<WebhooksGetData>;
        /**
         * Change a webhook.
         * Changes the fields that are given. A webhook that becomes active again gets what it has missed, and a new URL is tried at once.
         *
         * `PATCH /v1/webhooks/{webhook_id}`
         */
        update(input: WebhooksUpdateInput, options?: CallOptions): Call<WebhooksUpdateData>;
        /**
         * Delete a webhook.
         * Nothing is sent to it any more. Deliveries that are under way may still arrive.
         *
         * `DELETE /v1/webhooks/{webhook_id}`
         */
        delete(input: WebhooksDeleteInput, options?: CallOptions): Call<WebhooksDeleteData>;
        /**
         * Rotate the secret of a webhook.
         * Creates a secret. During the overlap each delivery has two signatures, one with each secret, so that the receiver can change over without a failure. A secret that was replaced earlier ends at once. The answer comes after about a second: then every process signs with the new secret.
         *
         * `POST /v1/webhooks/{webhook_id}/rotate-secret`
         */
        rotateSecret(input: WebhooksRotateSecretInput, options?: CallOptions): Call<WebhooksRotateSecretData>;
        /**
         * Send a test to a webhook.
         * Sends an event of the type `webhook.test`. The deliveries of the webhook show what became of it.
         *
         * `POST /v1/webhooks/{webhook_id}/test`
         */
        test(input: WebhooksTestInput, options?: CallOptions): Call<WebhooksTestData>;
        /**
         * List the deliveries of a webhook.
         * Newest first, those of the last 30 days.
         *
         * `GET /v1/webhooks/{webhook_id}/deliveries`
         */
        deliveries: ListMethod<
            [input: WebhooksDeliveriesInput],
            WebhooksDeliveriesData,
            WebhooksDeliveriesData['deliveries'][number]
        >;
        /**
         * Send events again.
         * Sends one event again, or those of a time of at most 31 days, of the types of the webhook. They have the same `webhook-id` as before.
         *
         * `POST /v1/webhooks/{webhook_id}/replay`
         */
        replay(input: WebhooksReplayInput, options?: CallOptions): Call<WebhooksReplayData>;
    };
    configurations: {
        /**
         * Describe what an issuer offers.
         * Adds a configuration to a did:web issuer: a kind of credential that wallets can get by OpenID4VCI. The metadata of the issuer shows it to anybody. Only a service whose `PUBLIC_URL` has https offers credentials.
         *
         * `POST /v1/issuers/{issuer_id}/configurations`
         */
        create(input: ConfigurationsCreateInput, options?: CallOptions): Call<ConfigurationsCreateData>;
        /**
         * List what an issuer offers.
         *
         * `GET /v1/issuers/{issuer_id}/configurations`
         */
        list(input: ConfigurationsListInput, options?: CallOptions): Call<ConfigurationsListData>;
        /**
         * Get a configuration.
         *
         * `GET /v1/issuers/{issuer_id}/configurations/{configuration_id}`
         */
        get(input: ConfigurationsGetInput, options?: CallOptions): Call<ConfigurationsGetData>;
        /**
         * Delete a configuration.
         * Its offers can no longer be accepted. Credentials that were issued stay as they are.
         *
         * `DELETE /v1/issuers/{issuer_id}/configurations/{configuration_id}`
         */
        delete(input: ConfigurationsDeleteInput, options?: CallOptions): Call<ConfigurationsDeleteData>;
    };
    offers: {
        /**
         * Offer a credential.
         * Makes a link that opens a wallet, which then gets the credential by OpenID4VCI with a pre-authorized code. Whoever has the link can accept the offer, so give the holder a transaction code in another way. Five wrong codes end the offer. The claims are stored sealed; only the link opens them.
         *
         * `POST /v1/offers`
         */
        create(input: OffersCreateInput, options?: CallOptions): Call<OffersCreateData>;
        /**
         * List offers.
         * Newest first. Offers are removed a day after they have expired.
         *
         * `GET /v1/offers`
         */
        list: ListMethod<[input?: OffersListInput], OffersListData, OffersListData['offers'][number]>;
        /**
         * Get an offer.
         *
         * `GET /v1/offers/{offer_id}`
         */
        get(input: OffersGetInput, options?: CallOptions): Call<OffersGetData>;
        /**
         * Delete an offer.
         * It can no longer be accepted. Credentials that were issued stay as they are.
         *
         * `DELETE /v1/offers/{offer_id}`
         */
        delete(input: OffersDeleteInput, options?: CallOptions): Call<OffersDeleteData>;
    };
    exchange: {
        /**
         * Read an offer.
         * What the link of an offer leads to. It can be read any number of times until the offer expires.
         *
         * `GET /issuers/{issuer_id}/offers/{secret}`
         */
        offer(input: ExchangeOfferInput, options?: CallOptions): Call<ExchangeOfferData>;
        /**
         * Exchange a code for an access token.
         * Spends the code, once. A wrong transaction code spends nothing, but the fifth one ends the offer. The offer also ends with the API key that has made it, and with its issuer. With a DPoP proof, the token is bound to its key.
         *
         * `POST /issuers/{issuer_id}/token`
         */
        token(input: ExchangeTokenInput, options?: CallOptions): Call<ExchangeTokenData>;
        /**
         * Get a nonce for proofs.
         * It can be used for five minutes.
         *
         * `POST /issuers/{issuer_id}/nonce`
         */
        nonce(input: ExchangeNonceInput, options?: CallOptions): Call<ExchangeNonceData>;
        /**
         * Get credentials.
         * Issues a credential for each key that a proof proves. A repeated call gets the same credentials, signed again.
         *
         * `POST /issuers/{issuer_id}/credential`
         */
        credential(input: ExchangeCredentialInput, options?: CallOptions): Call<ExchangeCredentialData>;
        /**
         * Say what became of credentials.
         *
         * `POST /issuers/{issuer_id}/notification`
         */
        notification(input: ExchangeNotificationInput, options?: CallOptions): Call<ExchangeNotificationData>;
        /**
         * Read the metadata of an issuer.
         * What OpenID4VCI 1.0 says about a credential issuer.
         *
         * `GET /.well-known/openid-credential-issuer/issuers/{issuer_id}`
         */
        issuerMetadata(input: ExchangeIssuerMetadataInput, options?: CallOptions): Call<ExchangeIssuerMetadataData>;
        /**
         * Read the metadata of an issuer as an authorization server.
         * What RFC 8414 says about it.
         *
         * `GET /.well-known/oauth-authorization-server/issuers/{issuer_id}`
         */
        serverMetadata(input: ExchangeServerMetadataInput, options?: CallOptions): Call<ExchangeServerMetadataData>;
    };
    me: {
        /**
         * Get the current user.
         *
         * `GET /v1/me`
         */
        get(options?: CallOptions): Call<MeGetData>;
        /**
         * Change name or email.
         * `"name": null` removes the name.
         *
         * `PATCH /v1/me`
         */
        update(input?: MeUpdateInput, options?: CallOptions): Call<MeUpdateData>;
        /**
         * Erase the account.
         * Nothing can be restored. Sessions and API keys of the account are refused from the next call on, and its email is free. Its issuers are archived, and its data is removed within minutes; one of millions of objects takes longer. What its issuers have signed is verified as before: of a credential stay its id, issuer, times and revocation, and DID documents stay public. After a 503, repeat the call: an erasure that was decided ends by itself within minutes, but sessions and keys may work until then.
         *
         * `DELETE /v1/me`
         */
        delete(input: MeDeleteInput, options?: CallOptions): Call<MeDeleteData>;
        /**
         * Change the password.
         * Ends all other sessions of the account. API keys stay valid.
         *
         * `POST /v1/me/password`
         */
        changePassword(input: MeChangePasswordInput, options?: CallOptions): Call<MeChangePasswordData>;
        /**
         * Get quotas.
         * A call that would exceed a quota is refused with 403. Calls at the same time may exceed a quota that is approximate. Sessions are different: a login beyond the quota ends the oldest session.
         *
         * `GET /v1/me/quotas`
         */
        quotas(options?: CallOptions): Call<MeQuotasData>;
        /**
         * Get usage statistics.
         *
         * `GET /v1/me/stats`
         */
        stats(options?: CallOptions): Call<MeStatsData>;
        /**
         * Export the account.
         * What the service stores about the account, as lines of JSON (`application/x-ndjson`), each with its `kind`: `export`, `user`, `statistics`, `session`, `key`, `did`, `issuer`, `configuration`, `credential`, `presentation`, `wallet`, `webhook`, `offer`, `event`, and at last `end`. Without the line `end` the export is not complete. What changes meanwhile may be in it or not. It has no secrets: no passwords, tokens or private keys. Only the password of a wallet opens its contents. It counts as one request, and each gateway writes one export of an account at a time.
         *
         * `GET /v1/me/export`
         */
        export(options?: CallOptions): AsyncGenerator<MeExportData, void>;
    };
    internal: {
        auth: {
            /**
             * Register an account.
             *
             * `POST /internal/v1/auth/register`
             */
            register(input: AuthRegisterInput, options?: CallOptions): Call<AuthRegisterData>;
            /**
             * Log in.
             *
             * `POST /internal/v1/auth/login`
             */
            login(input: AuthLoginInput, options?: CallOptions): Call<AuthLoginData>;
            /**
             * Log out.
             * Ends the session that the access token or refresh token belongs to.
             *
             * `POST /internal/v1/auth/logout`
             */
            logout(input: AuthLogoutInput, options?: CallOptions): Call<AuthLogoutData>;
            /**
             * Refresh a session.
             * A refresh token works only once: keep the new one.
             *
             * `POST /internal/v1/auth/refresh`
             */
            refresh(input: AuthRefreshInput, options?: CallOptions): Call<AuthRefreshData>;
            /**
             * Get the user of a session token.
             *
             * `GET /internal/v1/auth/me`
             */
            me(options?: CallOptions): Call<AuthMeData>;
        };
        keys: {
            /**
             * Check an API key.
             * Decides whether an API key may make a call of another service, and counts the call against the key's rate limit. A key that may not make the call is `valid: false` with a `code`, and is not charged. A key with `allowed_addresses` is checked for the address in `X-Client-Address` or, without that field, for the address of this request.
             *
             * `POST /internal/v1/keys/verify`
             */
            verify(input: KeysVerifyInput, options?: CallOptions): Call<KeysVerifyData>;
        };
        admin: {
            /**
             * Create up to 1,000 users.
             * One invalid user does not affect the others. The answer is 200, and lists the users that failed with the reason.
             *
             * `POST /internal/v1/admin/users/batch`
             */
            createUsers(input: AdminCreateUsersInput, options?: CallOptions): Call<AdminCreateUsersData>;
            /**
             * Get platform statistics.
             *
             * `GET /internal/v1/admin/stats`
             */
            stats(options?: CallOptions): Call<AdminStatsData>;
            /**
             * Export the audit.
             * All events of all accounts, as lines of JSON (`application/x-ndjson`), each with its `kind`: `audit`, `row`, `seal`, `checkpoint`, and at last `end`. Rows and seals are the leaves of a Merkle tree (RFC 6962), and checkpoints are its signed heads (`c2sp.org/tlog-checkpoint`), one an hour if something was appended. `cred audit verify` checks them offline. Without the line `end` the export is not complete. Each gateway writes one at a time.
             *
             * `GET /internal/v1/audit`
             */
            audit(input?: AdminAuditInput, options?: CallOptions): AsyncGenerator<AdminAuditData, void>;
            /**
             * Suspend an account.
             * From the next call on, every gateway refuses the sessions and API keys of the account with 403, and a login too. Nothing is deleted: DID documents and status lists stay public, and credentials stay valid. A trusted caller can still act for the account, for instance to revoke its credentials. An account that is suspended already keeps its time and its reason.
             *
             * `POST /internal/v1/admin/users/{user_id}/suspend`
             */
            suspendUser(input: AdminSuspendUserInput, options?: CallOptions): Call<AdminSuspendUserData>;
            /**
             * Restore a suspended account.
             * Its sessions and API keys work again, unless they have ended for another reason. An account that is not suspended stays as it is.
             *
             * `POST /internal/v1/admin/users/{user_id}/restore`
             */
            restoreUser(input: AdminRestoreUserInput, options?: CallOptions): Call<AdminRestoreUserData>;
            /**
             * Import users with their password hashes.
             * Body and answer are `application/x-ndjson`: a line of JSON for each user, in the same order. One line that is refused does not affect the others. An import may have 100,000 lines of 8 KiB, 64 MiB in all, and take ten minutes; a gateway works on two at a time. Read the answer while you send. If it ends before the last line, send the import again: it refuses the users that exist. The first login replaces the hash with one of the service.
             *
             * `POST /internal/v1/admin/users/import`
             */
            importUsers(input: AdminImportUsersInput, options?: CallOptions): Call<AdminImportUsersData>;
        };
        subjects: {
            /**
             * Erase the subject of credentials.
             * Replaces the DID of a person as the subject of credentials and the holder of presentations by `did:invalid:erased`, removes the types and reasons of revocation of these credentials, removes the DID if a client has registered it, and ends the offers that name it. What says whether a credential is valid stays: a revoked one stays revoked. Tokens that are in use elsewhere, and what wallets contain, do not change. The owner of an account erases it with `DELETE /v1/me`.
             *
             * `POST /internal/v1/subjects/erase`
             */
            erase(input: SubjectsEraseInput, options?: CallOptions): Call<SubjectsEraseData>;
        };
        /**
         * Get the health of the service.
         * The answer has no envelope. While a dependency is down, it is 200 with `status: degraded`.
         *
         * `GET /internal/health`
         */
        health(options?: CallOptions): Call<HealthData>;
        did: {
            /**
             * Create a DID.
             * Without `public_key` the service creates a key pair. Only this answer contains the private key, because the service does not store it. With `public_key` every call returns the same DID.
             *
             * `POST /internal/v1/did`
             */
            create(input?: DidCreateInput, options?: CallOptions): Call<DidCreateData>;
            /**
             * Resolve a DID.
             *
             * `GET /internal/v1/did/{did}`
             */
            resolve(input: DidResolveInput, options?: CallOptions): Call<DidResolveData>;
        };
        credentials: {
            /**
             * Issue a credential.
             * Signs a PASETO v4 public token, in which the claims are exactly as they were sent, or an SD-JWT VC if `format` is `dc+sd-jwt`. The example has a managed issuer. An issuer that keeps its own key also sends `issuer_private_key`, which must belong to `issuer_did`. The service stores neither the claims nor a private key that it was sent.
             *
             * `POST /internal/v1/credentials`
             */
            issue(input: CredentialsIssueInput, options?: CallOptions): Call<CredentialsIssueData>;
            /**
             * Verify a credential.
             * A completed check is answered with 200, whatever it finds: for an invalid credential `valid` is false and `error` says why. The credential is a v4.public token or an SD-JWT VC (`dc+sd-jwt`) without the signature of its holder; any other text is refused with 400.
             *
             * `POST /internal/v1/credentials/verify`
             */
            verify(input: CredentialsVerifyInput, options?: CallOptions): Call<CredentialsVerifyData>;
            /**
             * Revoke a credential.
             * A revocation is permanent. A repeated call gets the same answer as the first call.
             *
             * `POST /internal/v1/credentials/revoke/{credential_id}`
             */
            revoke(input: CredentialsRevokeInput, options?: CallOptions): Call<CredentialsRevokeData>;
            batch: {
                /**
                 * Issue up to 1,000 credentials.
                 * Issues credentials of one issuer, as single calls would. The example has a managed issuer. An issuer that keeps its own key also sends `issuer_private_key`, which must belong to `issuer_did`. The answer is 200 and has a result for each item, in the order in which they were sent. One bad item does not affect the others. Items without time left have the code `deadline` after 28 s. Each item counts as a request: a batch within the rate limit is done, any other is refused with 429 before its first item. A batch of more items than the whole limit is refused with 400. One batch of an account is worked on at a time; of further ones up to 64 wait, for 10 s at most. A batch that is repeated with its `Idempotency-Key` returns the credentials that were issued, and issues the missing ones.
                 *
                 * `POST /internal/v1/credentials/batch/issue`
                 */
                issue(input: CredentialsBatchIssueInput, options?: CallOptions): Call<CredentialsBatchIssueData>;
                /**
                 * Verify up to 1,000 credentials.
                 * Checks credentials, as single calls would. `ok` says that an item was checked, and `valid` what the check found. The answer is 200 and has a result for each item, in the order in which they were sent. One bad item does not affect the others. Items without time left have the code `deadline` after 28 s. Each item counts as a request: a batch within the rate limit is done, any other is refused with 429 before its first item. A batch of more items than the whole limit is refused with 400. One batch of an account is worked on at a time; of further ones up to 64 wait, for 10 s at most.
                 *
                 * `POST /internal/v1/credentials/batch/verify`
                 */
                verify(input: CredentialsBatchVerifyInput, options?: CallOptions): Call<CredentialsBatchVerifyData>;
                /**
                 * Revoke up to 1,000 credentials.
                 * Revokes credentials of one issuer, as single calls would. Each item with the same id is answered with the first revocation. The answer is 200 and has a result for each item, in the order in which they were sent. One bad item does not affect the others. Items without time left have the code `deadline` after 28 s. Each item counts as a request: a batch within the rate limit is done, any other is refused with 429 before its first item. A batch of more items than the whole limit is refused with 400. One batch of an account is worked on at a time; of further ones up to 64 wait, for 10 s at most.
                 *
                 * `POST /internal/v1/credentials/batch/revoke`
                 */
                revoke(input: CredentialsBatchRevokeInput, options?: CallOptions): Call<CredentialsBatchRevokeData>;
                /**
                 * Get the revocation status of up to 1,000 credentials.
                 * The answer is 200 and has a result for each item, in the order in which they were sent. One bad item does not affect the others. Items without time left have the code `deadline` after 28 s. Each item counts as a request: a batch within the rate limit is done, any other is refused with 429 before its first item. A batch of more items than the whole limit is refused with 400. One batch of an account is worked on at a time; of further ones up to 64 wait, for 10 s at most.
                 *
                 * `POST /internal/v1/credentials/batch/status`
                 */
                status(input: CredentialsBatchStatusInput, options?: CallOptions): Call<CredentialsBatchStatusData>;
            };
        };
        presentations: {
            /**
             * Create a presentation.
             * Bundles 1 to 100 credentials for one verifier. Each credential must have a valid signature. Expired and revoked credentials are accepted, because the verifier checks that. The example has a managed issuer as the holder. A holder that keeps its own key also sends `holder_private_key`.
             *
             * `POST /internal/v1/presentations`
             */
            create(input: PresentationsCreateInput, options?: CallOptions): Call<PresentationsCreateData>;
            /**
             * Verify a presentation.
             * A completed check is answered with 200, whatever it finds. One invalid credential makes the presentation invalid. The answer lists the results of all credentials.
             *
             * `POST /internal/v1/presentations/verify`
             */
            verify(input: PresentationsVerifyInput, options?: CallOptions): Call<PresentationsVerifyData>;
        };
        wallets: {
            /**
             * Create a wallet.
             * The wallet has its own key pair and DID. Its contents are sealed under a key that is derived from the password (Argon2id, AES-256-GCM). A lost password cannot be restored.
             *
             * `POST /internal/v1/wallets`
             */
            create(input: WalletsCreateInput, options?: CallOptions): Call<WalletsCreateData>;
            /**
             * Open a wallet.
             *
             * `POST /internal/v1/wallets/open`
             */
            open(input: WalletsOpenInput, options?: CallOptions): Call<WalletsOpenData>;
        };
    };
}

/** How each operation is sent, by its id. */
export const OPERATIONS = {
    'keys.generate': {
        method: 'POST',
        path: '/v1/keys/generate',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'keys.list': {
        method: 'GET',
        path: '/v1/keys',
        credentials: ['token'],
        idempotent: true,
        query: ['limit', 'cursor'],
        headers: {},
        body: false,
        list: 'keys',
        bare: false,
        text: false,
    },
    'keys.get': {
        method: 'GET',
        path: '/v1/keys/{key_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'keys.revoke': {
        method: 'DELETE',
        path: '/v1/keys/{key_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'keys.update': {
        method: 'PATCH',
        path: '/v1/keys/{key_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'keys.rename': {
        method: 'PATCH',
        path: '/v1/keys/{key_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'keys.rotate': {
        method: 'POST',
        path: '/v1/keys/{key_id}/rotate',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'did.create': {
        method: 'POST',
        path: '/v1/did',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'did.resolve': {
        method: 'GET',
        path: '/v1/did/{did}',
        credentials: ['token'],
        idempotent: true,
        query: ['derive'],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'did.document': {
        method: 'GET',
        path: '/v1/did/{did}/document',
        credentials: ['token'],
        idempotent: true,
        query: ['derive'],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'issuers.create': {
        method: 'POST',
        path: '/v1/issuers',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'issuers.list': {
        method: 'GET',
        path: '/v1/issuers',
        credentials: ['token'],
        idempotent: true,
        query: ['limit', 'cursor'],
        headers: {},
        body: false,
        list: 'issuers',
        bare: false,
        text: false,
    },
    'issuers.get': {
        method: 'GET',
        path: '/v1/issuers/{issuer_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'issuers.archive': {
        method: 'DELETE',
        path: '/v1/issuers/{issuer_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'issuers.rotate': {
        method: 'POST',
        path: '/v1/issuers/{issuer_id}/rotate',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'issuers.mark_compromised': {
        method: 'POST',
        path: '/v1/issuers/{issuer_id}/keys/{kid}/compromised',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'issuers.document': {
        method: 'GET',
        path: '/issuers/{issuer_id}/did.json',
        credentials: [],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: true,
        text: false,
    },
    'credentials.issue': {
        method: 'POST',
        path: '/v1/credentials',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'credentials.verify': {
        method: 'POST',
        path: '/v1/credentials/verify',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'credentials.revoke': {
        method: 'POST',
        path: '/v1/credentials/revoke/{credential_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'credentials.status': {
        method: 'GET',
        path: '/v1/credentials/status/{credential_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'credentials.by_issuer': {
        method: 'GET',
        path: '/v1/credentials/by-issuer/{issuer_did}',
        credentials: ['token'],
        idempotent: true,
        query: ['limit', 'cursor'],
        headers: {},
        body: false,
        list: 'credentials',
        bare: false,
        text: false,
    },
    'credentials.by_subject': {
        method: 'GET',
        path: '/v1/credentials/by-subject/{subject_did}',
        credentials: ['token'],
        idempotent: true,
        query: ['limit', 'cursor'],
        headers: {},
        body: false,
        list: 'credentials',
        bare: false,
        text: false,
    },
    'credentials.batch.issue': {
        method: 'POST',
        path: '/v1/credentials/batch/issue',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'credentials.batch.verify': {
        method: 'POST',
        path: '/v1/credentials/batch/verify',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'credentials.batch.revoke': {
        method: 'POST',
        path: '/v1/credentials/batch/revoke',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'credentials.batch.status': {
        method: 'POST',
        path: '/v1/credentials/batch/status',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'status_lists.list': {
        method: 'GET',
        path: '/v1/status-lists',
        credentials: [],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: true,
        text: false,
    },
    'status_lists.get': {
        method: 'GET',
        path: '/v1/status-lists/{list_id}',
        credentials: [],
        idempotent: true,
        query: ['time'],
        headers: {},
        body: false,
        bare: true,
        text: true,
    },
    'presentations.create': {
        method: 'POST',
        path: '/v1/presentations',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'presentations.verify': {
        method: 'POST',
        path: '/v1/presentations/verify',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'wallets.create': {
        method: 'POST',
        path: '/v1/wallets',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'wallets.open': {
        method: 'POST',
        path: '/v1/wallets/open',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'wallets.add_credential': {
        method: 'POST',
        path: '/v1/wallets/{wallet_id}/credentials',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'wallets.list_credentials': {
        method: 'GET',
        path: '/v1/wallets/{wallet_id}/credentials',
        credentials: ['token'],
        idempotent: true,
        query: ['limit', 'cursor', 'password'],
        headers: { password: 'X-Wallet-Password' },
        body: false,
        list: 'credentials',
        bare: false,
        text: false,
    },
    'wallets.delete_credential': {
        method: 'DELETE',
        path: '/v1/wallets/{wallet_id}/credentials/{credential_id}',
        credentials: ['token'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'events.list': {
        method: 'GET',
        path: '/v1/events',
        credentials: ['token'],
        idempotent: true,
        query: ['after', 'types', 'limit'],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'webhooks.create': {
        method: 'POST',
        path: '/v1/webhooks',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'webhooks.list': {
        method: 'GET',
        path: '/v1/webhooks',
        credentials: ['token'],
        idempotent: true,
        query: ['limit', 'cursor'],
        headers: {},
        body: false,
        list: 'webhooks',
        bare: false,
        text: false,
    },
    'webhooks.get': {
        method: 'GET',
        path: '/v1/webhooks/{webhook_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'webhooks.update': {
        method: 'PATCH',
        path: '/v1/webhooks/{webhook_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'webhooks.delete': {
        method: 'DELETE',
        path: '/v1/webhooks/{webhook_id}',
        credentials: ['token'],
        idempotent: false,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'webhooks.rotate_secret': {
        method: 'POST',
        path: '/v1/webhooks/{webhook_id}/rotate-secret',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'webhooks.test': {
        method: 'POST',
        path: '/v1/webhooks/{webhook_id}/test',
        credentials: ['token'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'webhooks.deliveries': {
        method: 'GET',
        path: '/v1/webhooks/{webhook_id}/deliveries',
        credentials: ['token'],
        idempotent: true,
        query: ['limit', 'cursor', 'state'],
        headers: {},
        body: false,
        list: 'deliveries',
        bare: false,
        text: false,
    },
    'webhooks.replay': {
        method: 'POST',
        path: '/v1/webhooks/{webhook_id}/replay',
        credentials: ['token'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'configurations.create': {
        method: 'POST',
        path: '/v1/issuers/{issuer_id}/configurations',
        credentials: ['token'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'configurations.list': {
        method: 'GET',
        path: '/v1/issuers/{issuer_id}/configurations',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'configurations.get': {
        method: 'GET',
        path: '/v1/issuers/{issuer_id}/configurations/{configuration_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'configurations.delete': {
        method: 'DELETE',
        path: '/v1/issuers/{issuer_id}/configurations/{configuration_id}',
        credentials: ['token'],
        idempotent: false,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'offers.create': {
        method: 'POST',
        path: '/v1/offers',
        credentials: ['token'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'offers.list': {
        method: 'GET',
        path: '/v1/offers',
        credentials: ['token'],
        idempotent: true,
        query: ['limit', 'cursor'],
        headers: {},
        body: false,
        list: 'offers',
        bare: false,
        text: false,
    },
    'offers.get': {
        method: 'GET',
        path: '/v1/offers/{offer_id}',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'offers.delete': {
        method: 'DELETE',
        path: '/v1/offers/{offer_id}',
        credentials: ['token'],
        idempotent: false,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'exchange.offer': {
        method: 'GET',
        path: '/issuers/{issuer_id}/offers/{secret}',
        credentials: [],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: true,
        text: false,
    },
    'exchange.token': {
        method: 'POST',
        path: '/issuers/{issuer_id}/token',
        credentials: [],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        form: true,
        bare: true,
        text: false,
    },
    'exchange.nonce': {
        method: 'POST',
        path: '/issuers/{issuer_id}/nonce',
        credentials: [],
        idempotent: false,
        query: [],
        headers: {},
        body: false,
        bare: true,
        text: false,
    },
    'exchange.credential': {
        method: 'POST',
        path: '/issuers/{issuer_id}/credential',
        credentials: ['token'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: true,
        text: false,
    },
    'exchange.notification': {
        method: 'POST',
        path: '/issuers/{issuer_id}/notification',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: true,
        text: false,
    },
    'exchange.issuer_metadata': {
        method: 'GET',
        path: '/.well-known/openid-credential-issuer/issuers/{issuer_id}',
        credentials: [],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: true,
        text: false,
    },
    'exchange.server_metadata': {
        method: 'GET',
        path: '/.well-known/oauth-authorization-server/issuers/{issuer_id}',
        credentials: [],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: true,
        text: false,
    },
    'me.get': {
        method: 'GET',
        path: '/v1/me',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'me.update': {
        method: 'PATCH',
        path: '/v1/me',
        credentials: ['token'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'me.delete': {
        method: 'DELETE',
        path: '/v1/me',
        credentials: ['token'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'me.change_password': {
        method: 'POST',
        path: '/v1/me/password',
        credentials: ['token'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'me.quotas': {
        method: 'GET',
        path: '/v1/me/quotas',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'me.stats': {
        method: 'GET',
        path: '/v1/me/stats',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'me.export': {
        method: 'GET',
        path: '/v1/me/export',
        credentials: ['token'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        streams: true,
        bare: true,
        text: false,
    },
    'internal.auth.register': {
        method: 'POST',
        path: '/internal/v1/auth/register',
        credentials: ['internal_secret'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.auth.login': {
        method: 'POST',
        path: '/internal/v1/auth/login',
        credentials: ['internal_secret'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.auth.logout': {
        method: 'POST',
        path: '/internal/v1/auth/logout',
        credentials: ['internal_secret'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.auth.refresh': {
        method: 'POST',
        path: '/internal/v1/auth/refresh',
        credentials: ['internal_secret'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.auth.me': {
        method: 'GET',
        path: '/internal/v1/auth/me',
        credentials: ['token', 'internal_secret'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'internal.keys.verify': {
        method: 'POST',
        path: '/internal/v1/keys/verify',
        credentials: ['internal_secret'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.admin.create_users': {
        method: 'POST',
        path: '/internal/v1/admin/users/batch',
        credentials: ['internal_secret'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.admin.stats': {
        method: 'GET',
        path: '/internal/v1/admin/stats',
        credentials: ['internal_secret'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'internal.admin.audit': {
        method: 'GET',
        path: '/internal/v1/audit',
        credentials: ['internal_secret'],
        idempotent: true,
        query: ['from', 'to'],
        headers: {},
        body: false,
        streams: true,
        bare: true,
        text: false,
    },
    'internal.admin.suspend_user': {
        method: 'POST',
        path: '/internal/v1/admin/users/{user_id}/suspend',
        credentials: ['internal_secret'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.admin.restore_user': {
        method: 'POST',
        path: '/internal/v1/admin/users/{user_id}/restore',
        credentials: ['internal_secret'],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'internal.admin.import_users': {
        method: 'POST',
        path: '/internal/v1/admin/users/import',
        credentials: ['internal_secret'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        lines: { sent: 'users', answered: 'results' },
        bare: true,
        text: false,
    },
    'internal.subjects.erase': {
        method: 'POST',
        path: '/internal/v1/subjects/erase',
        credentials: ['internal_secret'],
        idempotent: false,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.health': {
        method: 'GET',
        path: '/internal/health',
        credentials: [],
        idempotent: true,
        query: [],
        headers: {},
        body: false,
        bare: true,
        text: false,
    },
    'internal.did.create': {
        method: 'POST',
        path: '/internal/v1/did',
        credentials: ['internal_secret'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.did.resolve': {
        method: 'GET',
        path: '/internal/v1/did/{did}',
        credentials: ['internal_secret'],
        idempotent: true,
        query: ['derive'],
        headers: {},
        body: false,
        bare: false,
        text: false,
    },
    'internal.credentials.issue': {
        method: 'POST',
        path: '/internal/v1/credentials',
        credentials: ['internal_secret'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.credentials.verify': {
        method: 'POST',
        path: '/internal/v1/credentials/verify',
        credentials: ['internal_secret'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.credentials.revoke': {
        method: 'POST',
        path: '/internal/v1/credentials/revoke/{credential_id}',
        credentials: ['internal_secret'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.credentials.batch.issue': {
        method: 'POST',
        path: '/internal/v1/credentials/batch/issue',
        credentials: ['internal_secret'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.credentials.batch.verify': {
        method: 'POST',
        path: '/internal/v1/credentials/batch/verify',
        credentials: ['internal_secret'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.credentials.batch.revoke': {
        method: 'POST',
        path: '/internal/v1/credentials/batch/revoke',
        credentials: ['internal_secret'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.credentials.batch.status': {
        method: 'POST',
        path: '/internal/v1/credentials/batch/status',
        credentials: ['internal_secret'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.presentations.create': {
        method: 'POST',
        path: '/internal/v1/presentations',
        credentials: ['internal_secret'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.presentations.verify': {
        method: 'POST',
        path: '/internal/v1/presentations/verify',
        credentials: ['internal_secret'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.wallets.create': {
        method: 'POST',
        path: '/internal/v1/wallets',
        credentials: ['internal_secret'],
        idempotent: 'by-key',
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
    'internal.wallets.open': {
        method: 'POST',
        path: '/internal/v1/wallets/open',
        credentials: ['internal_secret'],
        idempotent: true,
        query: [],
        headers: {},
        body: true,
        bare: false,
        text: false,
    },
} satisfies Record<string, Operation>;
