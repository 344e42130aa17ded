import type { ItemCounts, ServiceOf } from '../../platform/rpc/definition.ts';
import type { CredentialsServiceDefinition } from '../../proto/gen/credentials/v1/credentials.ts';
import { erasure, subjectErasure } from '../erasure.ts';
import { tokenSigner } from '../issuers/token-signer.ts';
import { webKeys } from '../issuers/web-keys.ts';
import type { CredentialsDependencies, CredentialsOptions } from './dependencies.ts';
import { issue } from './issue.ts';
import { issueMany } from './issue-many.ts';
import { listCredentials } from './list.ts';
import { listIssued } from './list-issued.ts';
import { partedStatusLists } from './parts/parted-status-lists.ts';
import { partedStore } from './parts/parted-store.ts';
import { getStatus, getStatusMany, revoke, revokeMany } from './revoke.ts';
import { statusPlaces } from './status-lists/places.ts';
import { publishedLists } from './status-lists/published.ts';
import { statusListPublisher } from './status-lists/publisher.ts';
import type { StatusListStore } from './status-lists/rows.ts';
import { verify, verifyMany } from './verify.ts';

/** The number of items in each batch. */
export const CREDENTIALS_ITEMS: ItemCounts<typeof CredentialsServiceDefinition> = {
    issueMany: ({ items }) => items.length,
    verifyMany: ({ items, credentials }) => items.length + credentials.length,
    revokeMany: ({ items }) => items.length,
    getStatusMany: ({ credential_ids }) => credential_ids.length,
};

/** Credentials: issued as v4.public tokens, verified, revoked and listed. */
export function credentialsService(options: CredentialsOptions): ServiceOf<typeof CredentialsServiceDefinition> {
    const { parts, signatures, services, publicUrl, clock } = options;
    const { signing } = services;
    const placesOf = (store: StatusListStore, part: number) => {
        const publisher = statusListPublisher({ store, signing, clock });
        return statusPlaces({ store, signing, publicUrl, clock, publisher, part });
    };
    const deps: CredentialsDependencies = {
        ...options,
        store: partedStore(parts),
        tokenSigner: tokenSigner({ signatures, signing }),
        webKeys: webKeys(signing),
        statusPlaces: parts.statusLists.map(placesOf),
    };
    return {
        issue: (request, context) => issue(deps, request, context),
        issueMany: (request, context) => issueMany(deps, request, context),
        verify: (request, context) => verify(deps, request, context),
        verifyMany: (request, context) => verifyMany(deps, request, context),
        revoke: (request, context) => revoke(deps, request, context),
        revokeMany: (request, context) => revokeMany(deps, request, context),
        getStatus: (request, context) => getStatus(deps, request, context),
        getStatusMany: (request, context) => getStatusMany(deps, request, context),
        list: (request, context) => listCredentials(deps, request, context),
        listIssued: (request, context) => listIssued(deps, request, context),
        getQuotas: async (_request, context) => ({ credentials: await deps.quota.read(context) }),
        eraseAccount: erasure(parts.erasure),
        eraseSubject: subjectErasure(parts.subjectErasure),
        ...publishedLists(partedStatusLists(parts)),
        async ping() {
            await deps.store.ping();
            return {};
        },
    };
}
