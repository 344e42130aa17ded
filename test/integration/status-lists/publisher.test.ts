import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { StatusList } from '@sd-jwt/jwt-status-list';
import { z } from 'zod';
import { sql } from '../../../platform/postgres/db.ts';
import { LIST_PLACES } from '../../../services/credentials/status-lists/permutation.ts';
import { RESIGN_AFTER_MS, statusListPublisher } from '../../../services/credentials/status-lists/publisher.ts';
import { statusAt } from '../../../verify/src/status-list.ts';
import { verifyCredential } from '../../../verify/src/verify.ts';
import { testContext } from '../../support/harness.ts';
import { refuses } from '../credentials/credentials.fixture.ts';
import { listIdOf, placeOf, startListing } from './status-lists.fixture.ts';

const services = await startListing();
const { db, credentials, signing, lists, publisher, clock, time, issuer, issueListed, revoke, isRevoked } = services;
const first = placeOf(await issueListed());

const tokenOf = async (place = first) =>
    (await credentials.getStatusList({ list_id: listIdOf(place) }, testContext())).token;

/** The rows of the table are what a list must show: compares every place. */
async function assertTrue(): Promise<void> {
    const rows = await db.rows(sql.type(z.strictObject({ status_index: z.number(), revoked: z.boolean() }))`
        SELECT status_index, revoked_at IS NOT NULL AS revoked FROM credentials.credentials
        WHERE status_list IS NOT NULL`);
    const expected = new Uint8Array(LIST_PLACES);
    for (const { status_index, revoked } of rows) expected[status_index] = Number(revoked);
    const list = await services.published(first);
    for (let idx = 0; idx < LIST_PLACES; idx++) {
        if (statusAt(list, idx) !== expected[idx]) assert.fail(`the status at ${idx} is not ${expected[idx]}`);
    }
}

/** A signing service whose next signature waits until `resume` is called. */
function slowSigning() {
    const called = Promise.withResolvers<void>();
    const resumed = Promise.withResolvers<void>();
    const slow: typeof signing = {
        ...signing,
        async signStatusList(request, context) {
            called.resolve();
            await resumed.promise;
            return signing.signStatusList(request, context);
        },
    };
    return { slow, called: called.promise, resume: resumed.resolve };
}

describe('the publisher', () => {
    it('publishes a revocation, and the offline verifier sees it', async () => {
        const credential = await issueListed();
        const check = async () =>
            verifyCredential(credential.credential, { issuer: issuer.did, status: await tokenOf() });
        assert.deepEqual([(await check()).valid, (await check()).status], [true, 'valid']);
        await revoke(credential);
        assert.equal((await check()).status, 'valid', 'the test needs a revocation that is not published');
        await publisher.run();
        const { valid, status, revoked, claims } = await check();
        assert.deepEqual(
            { valid, status, revoked, claims },
            { valid: false, status: 'revoked', revoked: true, claims: undefined },
        );
        assert.equal(await services.changes(), 0);
    });

    it('signs a list of the form that the draft describes', async () => {
        const [header, payload] = (await tokenOf())
            .split('.', 2)
            .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
        assert.deepEqual(header, { alg: 'EdDSA', typ: 'statuslist+jwt' });
        const { iat, status_list, ...rest } = payload;
        assert.ok(Math.abs(iat * 1_000 - Date.now()) < 60_000);
        assert.deepEqual(rest, { iss: first.iss, sub: first.uri, exp: iat + 86_400, ttl: 60 });
        assert.deepEqual(Object.keys(status_list), ['bits', 'lst']);
    });

    it('and another implementation agree about every place', async () => {
        const issued = await Promise.all(Array.from({ length: 60 }, () => issueListed()));
        await Promise.all(issued.filter(() => randomInt(3) === 0).map(revoke));
        await publisher.run();
        await assertTrue();
        const { status_list } = JSON.parse(Buffer.from((await tokenOf()).split('.')[1] ?? '', 'base64url').toString());
        const read = StatusList.decompressStatusList(status_list.lst, status_list.bits);
        const list = await services.published(first);
        for (let idx = 0; idx < LIST_PLACES; idx++) {
            if (read.getStatus(idx) !== statusAt(list, idx)) assert.fail(`the status at ${idx}`);
        }
    });

    it('keeps a revocation in mind until the list with it is stored', async () => {
        const credential = await issueListed();
        await revoke(credential);
        const failing = statusListPublisher({
            store: lists,
            clock,
            signing: { ...signing, signStatusList: () => Promise.reject(new Error('the signing service is away')) },
        });
        await assert.rejects(failing.run(), /away/);
        assert.equal(await isRevoked(placeOf(credential)), false);
        assert.equal(await services.changes(), 1);
        await publisher.run();
        assert.equal(await isRevoked(placeOf(credential)), true);
    });

    it('never replaces a list by an older one, if two publish at once', async () => {
        const [early, late] = [await issueListed(), await issueListed()];
        await revoke(early);
        const { slow, called, resume } = slowSigning();
        const slowRun = statusListPublisher({ store: lists, signing: slow, clock }).run();
        await called; // it has read the statuses
        await revoke(late);
        await publisher.run();
        assert.equal(await isRevoked(placeOf(late)), true);
        resume();
        await slowRun;
        assert.deepEqual([await isRevoked(placeOf(early)), await isRevoked(placeOf(late))], [true, true]);
        await assertTrue();
    });

    it('publishes a revocation that is made while it works on the list', async () => {
        const [early, late] = [await issueListed(), await issueListed()];
        await revoke(early);
        const { slow, called, resume } = slowSigning();
        const slowRun = statusListPublisher({ store: lists, signing: slow, clock }).run();
        await called;
        await revoke(late);
        resume();
        await slowRun;
        await publisher.run();
        assert.equal(await isRevoked(placeOf(late)), true);
    });

    it('signs a list again when half of its time has passed, and not before', async () => {
        const before = await tokenOf();
        time.aheadMs = RESIGN_AFTER_MS - 60_000;
        await publisher.run();
        assert.equal(await tokenOf(), before);
        time.aheadMs = RESIGN_AFTER_MS + 60_000;
        await publisher.run();
        const after = await services.published(first);
        assert.ok(after.expires_at * 1_000 > clock() + 2 * RESIGN_AFTER_MS - 60_000);
        time.aheadMs = 0;
        await assertTrue();
    });

    it('publishes a list that was begun by a process that ended at once', async () => {
        const { did: issuerDid } = await signing.getStatusKey({}, testContext());
        const listId = '01a20ee9-afd6-7000-9d94-94a39423afbe';
        await lists.begin({
            list_id: listId,
            public_url: 'https://begun.example',
            issuer_did: issuerDid,
            permutation_key: Buffer.alloc(16),
            created_at: new Date().toISOString(),
        });
        const read = () => credentials.getStatusList({ list_id: listId }, testContext());
        await refuses('not_found', read());
        await publisher.run();
        assert.match((await read()).token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    });
});

describe('a credential without a place', () => {
    it('is revoked without work for the publisher', async () => {
        await revoke(await services.issue());
        assert.equal(await services.changes(), 0);
    });
});

describe('a status list', () => {
    it('that does not exist, or cannot, is not found', async () => {
        for (const listId of ['01a20ee9-afd6-7000-9d94-94a39423af00', 'no id', '']) {
            await refuses('not_found', credentials.getStatusList({ list_id: listId }, testContext()));
        }
    });
});
