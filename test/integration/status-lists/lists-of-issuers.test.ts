import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getListFromStatusListJWT } from '@sd-jwt/jwt-status-list';
import { importJWK, jwtVerify } from 'jose';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { LIST_PLACES } from '../../../services/credentials/status-lists/permutation.ts';
import { BLOCK_PLACES, statusPlaces } from '../../../services/credentials/status-lists/places.ts';
import { statusListPublisher } from '../../../services/credentials/status-lists/publisher.ts';
import type { Place } from '../../../services/credentials/status-lists/rows.ts';
import { credentialId } from '../../../tokens/credential-id.ts';
import { testContext } from '../../support/harness.ts';
import { internalContext, refuses } from '../credentials/credentials.fixture.ts';
import { newIssuer } from '../signing/signing.fixture.ts';
import { startListing } from './status-lists.fixture.ts';

const { db, credentials, signing, lists, publisher, clock, dependencies, issueListed } = await startListing();
/** The places of one process. */
const process = () =>
    statusPlaces({ store: lists, signing, publicUrl: dependencies.publicUrl, clock, publisher, part: 0 });
const places = process();

/** Returns the published list as jose verifies it with the key that its header names, and @sd-jwt reads it. */
async function published({ list_id }: Place, issuer: { did: string; issuer_id: string }) {
    const { token } = await credentials.getStatusList({ list_id }, testContext());
    const { keys } = await signing.getPublicIssuer({ issuer_id: issuer.issuer_id }, testContext());
    const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('base64url');
    const { payload, protectedHeader } = await jwtVerify(token, ({ kid, alg }) => {
        const key = keys.find((one) => `${issuer.did}#${one.kid}` === kid);
        assert.equal(key?.alg, alg, 'the DID document has the key');
        const type =
            alg === 'ES256' ? { kty: 'EC', crv: 'P-256', y: text(key?.y) ?? '' } : { kty: 'OKP', crv: 'Ed25519' };
        return importJWK({ ...type, x: text(key?.x) ?? '' }, alg);
    });
    return { payload, header: protectedHeader, list: getListFromStatusListJWT(token) };
}

/** Stores a credential at this place, and revokes it. */
async function revokeAt({ list, status_index }: Place, { did, context }: Awaited<ReturnType<typeof newIssuer>>) {
    const id = newId();
    await db.rows(sql.unsafe`
        INSERT INTO credentials.credentials (id, account, issued_at, issuer, subject, credential_type, status_list, status_index)
        VALUES (${id}, ${context.user_id ?? null}, now(), ${did}, 'did:web:a.example', 'A', ${list}, ${status_index})`);
    await credentials.revoke({ credential_id: credentialId(id), issuer_did: did }, context);
}

const abandonedAt = async ({ list }: Place) =>
    (
        await db.rows(
            sql.unsafe`SELECT 1 FROM credentials.status_lists WHERE list = ${list} AND abandoned_at IS NOT NULL`,
        )
    ).length > 0;

describe('the list of an issuer', () => {
    it('is signed by the issuer, and published before it has a place', async () => {
        const issuer = await newIssuer(signing, 'web');
        const place = await places.takeOf(issuer.did);
        assert.equal(place.issuer_did, issuer.did);
        const { payload, header } = await published(place, issuer);
        assert.deepEqual(header, { alg: 'EdDSA', typ: 'statuslist+jwt', kid: `${issuer.did}#${issuer.kid}` });
        assert.deepEqual(
            [payload.iss, payload.sub],
            [issuer.did, `${place.public_url}/v1/status-lists/${place.list_id}`],
        );

        const { key } = await signing.rotateKey({ issuer_id: issuer.issuer_id, alg: 'ES256' }, issuer.context);
        await publisher.publish(place);
        assert.deepEqual((await published(place, issuer)).header, {
            alg: 'ES256',
            typ: 'statuslist+jwt',
            kid: `${issuer.did}#${key?.kid}`,
        });
    });

    it('shows a revocation to @sd-jwt', async () => {
        const issuer = await newIssuer(signing, 'web');
        const [revoked, valid] = [await places.takeOf(issuer.did), await places.takeOf(issuer.did)];
        await revokeAt(revoked, issuer);
        await publisher.run();
        const { list } = await published(revoked, issuer);
        assert.deepEqual([list.getStatus(revoked.status_index), list.getStatus(valid.status_index)], [1, 0]);
    });

    it('is one for all processes, without a place that is given out twice, and not that of the service', async () => {
        const issuer = await newIssuer(signing, 'web');
        const other = process();
        const taken = await Promise.all(
            Array.from({ length: 200 }, (_, number) => (number % 2 ? places : other).takeOf(issuer.did)),
        );
        assert.equal(new Set(taken.map(({ list }) => list)).size, 1);
        assert.equal(new Set(taken.map(({ status_index }) => status_index)).size, 200);
        const foreign = await places.takeOf((await newIssuer(signing, 'web')).did);
        assert.notEqual(foreign.list, taken[0]?.list);
        const { status } = await issueListed();
        assert.match(status?.iss ?? '', /^did:key:/);
        const own = await places.take();
        assert.match(own.issuer_did, /^did:key:/);
    });

    it('is followed by another one when it is full, and the service keeps its block', async () => {
        const issuer = await newIssuer(signing, 'web');
        const { list } = await places.takeOf(issuer.did);
        await db.rows(sql.unsafe`UPDATE credentials.status_lists SET taken = ${LIST_PLACES} WHERE list = ${list}`);
        const next = await process().takeOf(issuer.did);
        assert.notEqual(next.list, list);
        const blocks = await db.rows(sql.unsafe`
            SELECT 1 FROM credentials.status_lists WHERE issuer_did LIKE 'did:key:%' AND taken % ${BLOCK_PLACES} <> 0`);
        assert.equal(blocks.length, 0);
    });

    it('is signed again when its key is compromised, after the issuer has another one', async () => {
        const issuer = await newIssuer(signing, 'web');
        const { issuer_id, kid, context } = issuer;
        const place = await places.takeOf(issuer.did);
        await signing.markCompromised({ issuer_id, kid }, context);
        await assert.rejects(published(place, issuer), 'nobody accepts it');
        await publisher.run(); // no failure: the owner has to rotate first
        assert.equal(await abandonedAt(place), true);
        await refuses('conflict', process().takeOf(issuer.did));
        await revokeAt(place, issuer);
        const { key } = await signing.rotateKey({ issuer_id }, context);
        await publisher.run();
        const { header, list } = await published(place, issuer);
        assert.equal(header.kid, `${issuer.did}#${key?.kid}`);
        assert.equal(list.getStatus(place.status_index), 1);
        assert.equal(await abandonedAt(place), false);
    });

    it('is signed by the new key in the first run after a rotation, and not again after that', async () => {
        const issuer = await newIssuer(signing, 'web');
        const { issuer_id, context } = issuer;
        const place = await places.takeOf(issuer.did);
        for (const alg of ['EdDSA', 'ES256']) {
            const { key } = await signing.rotateKey({ issuer_id, alg }, context);
            await publisher.run();
            assert.equal((await published(place, issuer)).header.kid, `${issuer.did}#${key?.kid}`);
        }
        const { token } = await credentials.getStatusList({ list_id: place.list_id }, testContext());
        await signing.rotateKey({ issuer_id, alg: 'EdDSA' }, context); // it does not sign lists while there is one of ES256
        await publisher.run();
        assert.equal((await credentials.getStatusList({ list_id: place.list_id }, testContext())).token, token);
    });

    it('is signed by the other key of the issuer in the first run after its key is compromised', async () => {
        const issuer = await newIssuer(signing, 'web');
        const { issuer_id, kid, context } = issuer;
        const { key } = await signing.rotateKey({ issuer_id, alg: 'ES256' }, context);
        const place = await places.takeOf(issuer.did);
        await signing.markCompromised({ issuer_id, kid: key?.kid ?? '' }, context);
        await publisher.run();
        assert.equal((await published(place, issuer)).header.kid, `${issuer.did}#${kid}`);
    });

    it('gets places again as soon as the issuer has a new key', async () => {
        const issuer = await newIssuer(signing, 'web');
        const { issuer_id, kid, context } = issuer;
        const place = await places.takeOf(issuer.did);
        await signing.markCompromised({ issuer_id, kid }, context);
        await publisher.run();
        await signing.rotateKey({ issuer_id }, context);
        assert.equal((await process().takeOf(issuer.did)).list, place.list);
        await published(place, issuer);
    });

    it('is signed after the issuer is archived, so that its credentials can be revoked', async () => {
        const issuer = await newIssuer(signing, 'web');
        const place = await places.takeOf(issuer.did);
        await signing.archiveIssuer({ issuer_id: issuer.issuer_id }, issuer.context);
        await revokeAt(place, issuer);
        await publisher.run();
        assert.equal((await published(place, issuer)).list.getStatus(place.status_index), 1);
    });

    it('does not wait behind those of issuers that cannot sign', async () => {
        const [lost, healthy] = [await newIssuer(signing, 'web'), await newIssuer(signing, 'web')];
        const [first, second] = [await places.takeOf(lost.did), await places.takeOf(healthy.did)];
        await signing.markCompromised({ issuer_id: lost.issuer_id, kid: lost.kid }, lost.context);
        await revokeAt(first, lost);
        await revokeAt(second, healthy);
        await statusListPublisher({ store: lists, signing, clock }).run();
        assert.equal((await published(second, healthy)).list.getStatus(second.status_index), 1);
    });
});

describe('SignStatusList for an issuer', () => {
    it('is for the service itself, and signs no list that names another issuer', async () => {
        const { did, context } = await newIssuer(signing, 'web');
        const payload = JSON.stringify({ iss: did });
        await refuses('forbidden', signing.signStatusList({ payload, did }, { ...context, trusted: true }));
        await refuses('forbidden', signing.signStatusList({ payload, did }, testContext({ user_id: undefined })));
        await refuses(
            'invalid',
            signing.signStatusList({ payload: '{"iss":"did:web:other"}', did }, internalContext()),
        );
        await refuses('invalid', signing.signStatusList({ payload: '{', did }, internalContext()));
        const unknown = did.replace(/.{12}$/, '000000000000');
        await refuses(
            'not_found',
            signing.signStatusList({ payload: JSON.stringify({ iss: unknown }), did: unknown }, internalContext()),
        );
    });
});
