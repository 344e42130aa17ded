import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { CredentialsServiceDefinition } from '../../../proto/gen/credentials/v1/credentials.ts';
import { credentialsService } from '../../../services/credentials/service.ts';
import { abandonLists } from '../../../services/credentials/status-lists/abandon.store.ts';
import { RESIGN_AFTER_MS, statusListPublisher } from '../../../services/credentials/status-lists/publisher.ts';
import { abandonStore } from '../../../services/signing/key-encryption/abandon.store.ts';
import { testContext } from '../../support/harness.ts';
import { requestBy } from '../credentials/credentials.fixture.ts';
import { reached } from '../services/reached.ts';
import { listIdOf, placeOf, startListing } from './status-lists.fixture.ts';

const { db, did, dependencies, lists, clock, time, issuer, ...services } = await startListing();

/** The signing service at the moment. It loses its key-encryption key when it is started again with another one. */
let current = services.signing;
const signing: typeof current = {
    ...current,
    getStatusKey: (request, context) => current.getStatusKey(request, context),
    signStatusList: (request, context) => current.signStatusList(request, context),
};
const credentials = reached(
    CredentialsServiceDefinition,
    credentialsService({ ...dependencies, services: { did, signing }, listScope: 'owner' }),
);
const publisher = statusListPublisher({ store: lists, signing, clock });
const issue = () => credentials.issue(requestBy(issuer, { status_list: true }), issuer.context);
const countRows = async () => (await db.rows(sql.unsafe`SELECT 1 FROM credentials.credentials`)).length;
const tokenOf = (listId: string) => credentials.getStatusList({ list_id: listId }, testContext());

/** Issues until it is refused. Fails if the refused call has written anything. Returns its error. */
async function refusal(): Promise<unknown> {
    const giveUp = performance.now() + 30_000;
    while (performance.now() < giveUp) {
        const before = await countRows();
        try {
            await issue();
        } catch (error) {
            assert.equal(await countRows(), before);
            return error;
        }
    }
    return assert.fail('it is issued again and again');
}

it('a list whose key is lost gets no more credentials; when the key is given up, new ones are on another list', async () => {
    const first = await issue();
    const place = placeOf(first);

    current = services.openSigning();
    const error = await refusal();
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.kind, error.reason], ['unavailable', 'kek']);
    await credentials.issue(requestBy(issuer), issuer.context);
    await services.revoke(first);
    await assert.rejects(publisher.run());

    const dataKeys = await db.rows(sql.type(z.strictObject({ id: z.string() }))`SELECT id FROM signing.data_keys`);
    const ids = dataKeys.map(({ id }) => id);
    const store = abandonStore(db);
    assert.deepEqual(await store.listSigners(ids), [place.iss]);
    assert.equal(await abandonLists(db, place.iss), 1);
    const [given] = await store.abandon(ids, new Date().toISOString());
    assert.equal(given?.did, place.iss);

    const published = await tokenOf(listIdOf(place));
    const next = await issue();
    assert.notEqual(placeOf(next).iss, place.iss);
    assert.notEqual(placeOf(next).uri, place.uri);
    await services.revoke(next);
    time.aheadMs = RESIGN_AFTER_MS + 60_000;
    await publisher.run();
    assert.equal(await services.isRevoked(placeOf(next)), true);
    assert.deepEqual(await tokenOf(listIdOf(place)), published, 'the list stays as it was published');
    assert.equal(await services.changes(), 0);
    const { published_ms } = await lists.readAges();
    assert.ok((published_ms ?? 0) < RESIGN_AFTER_MS, 'no list waits to be signed again');
    const status = await credentials.getStatus({ credential_id: first.credential_id }, testContext());
    assert.equal(status.revoked, true, 'the service still knows the revocation');
});
