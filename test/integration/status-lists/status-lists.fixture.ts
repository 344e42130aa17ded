import assert from 'node:assert/strict';
import type { CallContext } from '../../../platform/context.ts';
import { sql } from '../../../platform/postgres/db.ts';
import type { Credential, StatusPlace } from '../../../proto/gen/credentials/v1/credentials.ts';
import { statusListPublisher } from '../../../services/credentials/status-lists/publisher.ts';
import { statusListStore } from '../../../services/credentials/status-lists/status-lists.store.ts';
import { readStatusList, type StatusList, statusAt } from '../../../verify/src/status-list.ts';
import { testContext } from '../../support/harness.ts';
import { requestBy, startIssuing } from '../credentials/credentials.fixture.ts';

/** The place of a credential. Fails if it has none. */
export function placeOf({ status }: Credential): StatusPlace {
    return status ?? assert.fail('the credential has no place');
}

/** The id of the list that a place is on. */
export function listIdOf({ uri }: StatusPlace): string {
    return uri.split('/').at(-1) ?? assert.fail(uri);
}

/** Starts services that issue credentials with places on status lists, and a publisher. */
export async function startListing() {
    const services = await startIssuing();
    const { db, credentials, issuer, signing, clock } = services;
    const store = statusListStore(db);
    const publisher = statusListPublisher({ store, signing, clock });

    /** Reads a published list as a verifier does. */
    async function published(place: StatusPlace): Promise<StatusList> {
        const { token } = await credentials.getStatusList({ list_id: listIdOf(place) }, testContext());
        return (await readStatusList(token, place)) ?? assert.fail('the list cannot be read');
    }

    return {
        ...services,
        lists: store,
        publisher,
        published,
        issueListed: (context: CallContext = issuer.context) =>
            credentials.issue(requestBy(issuer, { status_list: true }), context),
        revoke: ({ credential_id }: Pick<Credential, 'credential_id'>) =>
            credentials.revoke({ credential_id, issuer_did: issuer.did }, issuer.context),
        async isRevoked(place: StatusPlace): Promise<boolean> {
            return statusAt(await published(place), place.idx) === 1;
        },
        /** The number of revocations that wait for the publisher. */
        async changes(): Promise<number> {
            return (await db.rows(sql.unsafe`SELECT id FROM credentials.status_changes`)).length;
        },
    };
}
