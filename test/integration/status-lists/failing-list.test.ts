import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { statusListPublisher } from '../../../services/credentials/status-lists/publisher.ts';
import { testContext } from '../../support/harness.ts';
import { placeOf, startListing } from './status-lists.fixture.ts';

const services = await startListing();
const { db, credentials, signing, lists, publisher, clock, issueListed, revoke, isRevoked } = services;

describe('a list that cannot be signed', () => {
    it('keeps no other list waiting, neither a changed one nor a new one', async () => {
        const { did: issuerDid } = await signing.getStatusKey({}, testContext());
        const listId = newId();
        const failing = statusListPublisher({
            store: lists,
            clock,
            signing: {
                ...signing,
                async signStatusList(request, context) {
                    if (request.payload.includes(listId)) throw new Error('this list cannot be signed');
                    return signing.signStatusList(request, context);
                },
            },
        });
        const begin = async (id: string, publicUrl: string) => {
            const created = { permutation_key: Buffer.alloc(16), created_at: new Date().toISOString() };
            await lists.begin({ list_id: id, public_url: publicUrl, issuer_did: issuerDid, ...created });
        };
        const newList = newId();
        await begin(listId, 'https://unsigned.example');
        await begin(newList, 'https://signed.example');
        // More changes than are read at a time, before that of the other list.
        await db.rows(sql.unsafe`
            INSERT INTO credentials.status_changes (list)
            SELECT list FROM credentials.status_lists, generate_series(1, 10001) WHERE list_id = ${listId}`);
        const credential = await issueListed();
        await revoke(credential);
        await assert.rejects(failing.run(), /cannot be signed/);
        assert.equal(await isRevoked(placeOf(credential)), true);
        assert.equal(await services.changes(), 10_001);
        await credentials.getStatusList({ list_id: newList }, testContext());
        await publisher.run();
        assert.equal(await services.changes(), 0);
    });
});
