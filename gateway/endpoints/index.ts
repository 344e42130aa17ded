import type { Endpoint } from '../endpoint.ts';
import { keptDocuments } from '../kept-documents.ts';
import { credentialBatchEndpoints } from './credentials/batches.ts';
import { credentialEndpoints } from './credentials/credentials.ts';
import { didEndpoints } from './dids.ts';
import { eventEndpoints } from './events.ts';
import { configurationEndpoints } from './exchange/configurations.ts';
import { issuerMetadataEndpoints } from './exchange/issuer-metadata.ts';
import { offerEndpoints } from './exchange/offers.ts';
import { walletProtocolEndpoints } from './exchange/wallet.ts';
import { exportEndpoints } from './export.ts';
import { type HealthProbes, healthEndpoints } from './health.ts';
import { internalAdminEndpoints } from './internal-admin.ts';
import { internalAuthEndpoints } from './internal-auth.ts';
import { internalKeyEndpoints } from './internal-keys.ts';
import { internalOperationEndpoints } from './internal-operations.ts';
import { internalUserEndpoints } from './internal-users.ts';
import { issuerDocuments, issuerEndpoints } from './issuers.ts';
import { keyEndpoints } from './keys.ts';
import { meEndpoints } from './me.ts';
import { presentationEndpoints } from './presentations.ts';
import { quotaEndpoints } from './quotas.ts';
import { statisticsEndpoints } from './statistics.ts';
import { statusListEndpoints } from './status-lists.ts';
import { walletEndpoints } from './wallets.ts';
import { deliveryEndpoints } from './webhooks/deliveries.ts';
import { webhookEndpoints } from './webhooks/webhooks.ts';

/** A part of the interface. The documents have a section for each part. */
export interface InterfacePart {
    name: string;
    /** In Markdown. */
    description: string;
    endpoints: readonly Endpoint[];
}

/** All parts of the interface, public and internal. */
export function interfaceParts(probes: HealthProbes) {
    const documents = keptDocuments();
    return [
        {
            name: 'API keys',
            description: 'A session creates, lists, restricts, rotates and revokes the API keys of its account.',
            endpoints: keyEndpoints,
        },
        { name: 'DIDs', description: 'did:key identifiers of Ed25519 keys.', endpoints: didEndpoints },
        {
            name: 'Issuers',
            description: 'Managed issuers sign credentials and presentations with keys that never leave the service.',
            endpoints: [...issuerEndpoints, ...issuerDocuments(documents)],
        },
        {
            name: 'Credentials',
            description: 'Credentials are PASETO v4 public tokens that the service signs, verifies, revokes and lists.',
            endpoints: [...credentialEndpoints, ...credentialBatchEndpoints],
        },
        {
            name: 'Status lists',
            description: 'Lists with which anybody can check without an account whether a credential was revoked.',
            endpoints: statusListEndpoints(documents),
        },
        {
            name: 'Presentations',
            description: 'A presentation is a bundle of credentials that their holder signs for one verifier.',
            endpoints: presentationEndpoints,
        },
        {
            name: 'Wallets',
            description: 'A wallet holds credentials and a key pair, sealed under a password.',
            endpoints: walletEndpoints,
        },
        {
            name: 'Events',
            description:
                'What happens to the objects of an account, as a stream that its programs read at their own pace.',
            endpoints: eventEndpoints,
        },
        {
            name: 'Webhooks',
            description: 'The service sends the events of an account to URLs of its owner, signed, until they arrive.',
            endpoints: [...webhookEndpoints, ...deliveryEndpoints],
        },
        {
            name: 'Offers',
            description: 'Issuers offer credentials to the wallets of other people, which take them by OpenID4VCI 1.0.',
            endpoints: [...configurationEndpoints, ...offerEndpoints],
        },
        {
            name: 'Wallets of other people',
            description:
                'What a wallet calls to take an offer: OpenID4VCI 1.0. Except for metadata, errors are `{"error","error_description"}`.',
            endpoints: [...walletProtocolEndpoints, ...issuerMetadataEndpoints(documents)],
        },
        {
            name: 'Current user',
            description: 'The account of the session, its statistics, and its export.',
            endpoints: [...meEndpoints, ...quotaEndpoints, ...statisticsEndpoints, ...exportEndpoints],
        },
        {
            name: 'Internal: accounts',
            description: 'Registration and sessions, for trusted callers.',
            endpoints: internalAuthEndpoints,
        },
        {
            name: 'Internal: API keys',
            description: 'Other services let this one decide about the API keys that their callers send.',
            endpoints: internalKeyEndpoints,
        },
        {
            name: 'Internal: administration',
            description: 'Administration of the whole platform.',
            endpoints: [...internalAdminEndpoints, ...internalUserEndpoints],
        },
        {
            name: 'Internal: health',
            description: 'The health of the service and its dependencies.',
            endpoints: healthEndpoints(probes),
        },
        {
            name: 'Internal: operations',
            description:
                'The public operations for trusted callers, without limits. `X-On-Behalf-Of` names the account to act for.',
            endpoints: internalOperationEndpoints,
        },
    ] satisfies readonly InterfacePart[];
}

/** All HTTP endpoints, public and internal. */
export function endpointTable(probes: HealthProbes) {
    return interfaceParts(probes).flatMap((part): PartEndpoint[] => [...part.endpoints]);
}

type PartEndpoint = ReturnType<typeof interfaceParts>[number]['endpoints'][number];

/** The ids of all endpoints. The end-to-end tests must have an example for each of them. */
export type EndpointId = PartEndpoint['id'];
