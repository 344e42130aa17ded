import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../../platform/errors.ts';
import type { Database } from '../../../platform/postgres/db.ts';
import { countsOfAll } from '../../../services/counts/counts.store.ts';
import { partOfId } from '../../../services/credentials/parts/part-map.ts';
import { arrangeParts, partMapIn, refuseToLeave } from '../../../services/credentials/parts/parts.store.ts';
import { partsIn } from '../../../services/credentials/parts/parts.ts';
import { uuidOf } from '../../../tokens/credential-id.ts';
import { testContext } from '../../support/harness.ts';
import { type Credentials, newParty, type Party, requestBy } from './credentials.fixture.ts';
import {
    arranged,
    type Databases,
    databases,
    issuerIn,
    partsOfCitus,
    schemasOfOne,
    serve,
    services,
} from './parts.fixture.ts';

const uuidIn = ({ credential_id }: { credential_id: string }): string => uuidOf(credential_id) ?? assert.fail();
const listBy = (credentials: Credentials, issuer: Party, query: object) =>
    credentials.list({ with_total: true, limit: 10, ...query }, issuer.context);
const idsOf = ({ credentials }: { credentials: Array<{ credential_id: string }> }) =>
    credentials.map(({ credential_id }) => credential_id);
const isUnavailable = (error: unknown) => error instanceof AppError && error.kind === 'unavailable';

for (const [what, make] of [
    ['databases', databases],
    ['schemas of one database', schemasOfOne],
    ['databases with the statements for a Citus', partsOfCitus],
] as const)
    describe(`credentials in two parts, which are ${what},`, async () => await inTwoParts(await make(2)));

async function inTwoParts(parts: Databases): Promise<void> {
    const credentials = await arranged(parts);

    it('lie in the part of their issuer, and are found, revoked and listed by their id', async () => {
        for (const part of [0, 1]) {
            const issuer = await issuerIn(part, 2);
            const issued = await credentials.issue(requestBy(issuer, { status_list: true }), issuer.context);
            assert.equal(partOfId(uuidIn(issued), { count: 2, counts: [2], since: 0 }), part);
            const { stores } = partsIn(parts, { count: 2, counts: [2], since: 0 });
            const found = await Promise.all(stores.map((store) => store.find(uuidIn(issued))));
            assert.deepEqual(found.map(Boolean), [part === 0, part === 1]);
            const { credential_id } = issued;
            await credentials.revoke({ credential_id, issuer_did: issuer.did }, issuer.context);
            assert.equal((await credentials.getStatus({ credential_id }, issuer.context)).revoked, true);
            assert.deepEqual(idsOf(await listBy(credentials, issuer, { issuer_did: issuer.did })), [credential_id]);
        }
        const { lists } = await credentials.listStatusLists({}, testContext());
        assert.equal(lists.length, 2);
        for (const { list_id } of lists)
            assert.ok((await credentials.getStatusList({ list_id }, testContext())).token.length > 0);
    });

    it('are on one list by subject, newest first, page by page, with their total', async () => {
        const issuers = [await issuerIn(0, 2), await issuerIn(1, 2)] as const;
        const [subject] = issuers;
        const issued: string[] = [];
        for (let n = 0; n < 9; n++) {
            const issuer = issuers[n % 2] as Party;
            const request = requestBy(issuer, { subject_did: subject.did });
            issued.unshift((await credentials.issue(request, issuer.context)).credential_id);
        }
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
            const page = await listBy(credentials, subject, { subject_did: subject.did, limit: 2, cursor });
            assert.equal(page.total, 9);
            seen.push(...idsOf(page));
            cursor = page.next_cursor;
        } while (cursor !== undefined);
        assert.deepEqual(seen.toSorted(), issued.toSorted());
        assert.deepEqual(seen, seen.toSorted().reverse());
    });

    it('are on one list of the account that has issued them, page by page', async () => {
        const { context, ...issuer } = await issuerIn(0, 2);
        const other = await issuerIn(1, 2);
        const issued: string[] = [];
        for (let n = 0; n < 9; n++) {
            const request = requestBy({ context, ...(n % 2 === 0 ? issuer : other) });
            issued.push((await credentials.issue(request, context)).credential_id);
        }
        for (const limit of [1, 2, 5, 9]) {
            const seen: string[] = [];
            let cursor: string | undefined;
            do {
                const page = await credentials.listIssued({ limit, cursor }, context);
                seen.push(...idsOf(page));
                cursor = page.next_cursor;
            } while (cursor !== undefined);
            assert.deepEqual(seen.toSorted(), issued.toSorted(), `${limit} a page`);
        }
    });

    it('count together for their account', async () => {
        const issuer = await issuerIn(0, 2);
        const other = await issuerIn(1, 2);
        for (const { did: issuerDid, private_key } of [issuer, other]) {
            const request = requestBy(issuer, { issuer_did: issuerDid, issuer_private_key: private_key });
            await credentials.issue(request, issuer.context);
        }
        const counts = countsOfAll(['credentials'], () => parts);
        assert.equal((await counts.amounts(issuer.account, undefined)).get('credentials_issued'), 2);
        const [issued] = await counts.byMonth({
            account: issuer.account,
            today: new Date().toISOString().slice(0, 10),
        });
        assert.deepEqual(issued, { kind: 'credentials_issued', total: 2, this_month: 2 });
    });

    it('are issued once for an Idempotency-Key, which cannot be used for an issuer in another part', async () => {
        const issuer = await issuerIn(0, 2);
        const other = await issuerIn(1, 2);
        const context = testContext({ user_id: issuer.account, idempotency_key: randomUUID() });
        const first = await credentials.issue(requestBy(issuer), context);
        assert.deepEqual(await credentials.issue(requestBy(issuer), context), first);
        const { did: issuerDid, private_key } = other;
        await assert.rejects(
            credentials.issue(requestBy(issuer, { issuer_did: issuerDid, issuer_private_key: private_key }), context),
            ({ kind }: AppError) => kind === 'unprocessable',
        );
    });
}

describe('when the number of parts grows', async () => {
    const parts = await databases(4);
    const [first] = parts;
    const two = parts.slice(0, 2) as Databases;

    it('earlier credentials are found, listed and repeated, and new ones lie in the new parts', async () => {
        const before = await serve([first]);
        const issuer = await issuerIn(1, 2);
        const context = testContext({ user_id: issuer.account, idempotency_key: randomUUID() });
        const old = await before.issue(requestBy(issuer), context);

        const after = await arranged(two);
        assert.deepEqual(await after.issue(requestBy(issuer), context), old);
        const fresh = await after.issue(requestBy(issuer), issuer.context);
        const [, second] = partsIn(two, await partMapIn(two)).stores;
        assert.equal((await second?.find(uuidIn(fresh)))?.issuer, issuer.did);
        for (const query of [{ issuer_did: issuer.did }, { subject_did: issuer.did }])
            assert.deepEqual(idsOf(await listBy(after, issuer, query)), [fresh.credential_id, old.credential_id]);
        for (const { credential_id } of [old, fresh])
            assert.equal((await after.getStatus({ credential_id }, issuer.context)).revoked, false);
    });

    it('a credential lies in the part of its issuer although the clock of its process is five seconds behind', async (t) => {
        const growing = await databases(2);
        const issuer = await issuerIn(1, 2);
        await (await serve([growing[0]])).issue(requestBy(issuer), issuer.context);
        const credentials = await arranged(growing);
        services.time.aheadMs = -5_000;
        t.after(() => Object.assign(services.time, { aheadMs: 0 }));
        const issued = await credentials.issue(requestBy(issuer), issuer.context);
        const [, second] = partsIn(growing, await partMapIn(growing)).stores;
        assert.equal((await second?.find(uuidIn(issued)))?.issuer, issuer.did);
    });

    it('a process that knows fewer parts answers 503 for ids in the new ones, and 404 for invented ids', async () => {
        const earlier = await arranged(two);
        const invented = 'urn:uuid:01aa0000-0000-7000-8000-0000000000ff';
        const status = (credentialId: string) => earlier.getStatus({ credential_id: credentialId }, testContext());
        await assert.rejects(status(invented), ({ kind }: AppError) => kind === 'not_found');

        const later = await arranged(parts);
        const issuer = await issuerIn(3, 4);
        const { credential_id, credential } = await later.issue(requestBy(issuer), issuer.context);
        const isRefused = () => status(credential_id).then(() => false, isUnavailable);
        while (!(await isRefused())) await delay(20); // it looks again after a second
        const check = { credential, issuer_did: issuer.did, check_revocation: true };
        await assert.rejects(earlier.verify(check, testContext()), isUnavailable);
        await assert.rejects(
            later.getStatus({ credential_id: invented }, testContext()),
            ({ kind }: AppError) => kind === 'not_found',
        );
    });
});

describe('parts that are not those of before', () => {
    it('are refused: fewer, in another order, of another service, or with credentials of their own', async () => {
        const [first, second, third, fourth] = (await databases(4)) as [Database, Database, Database, Database];
        await arrangeParts([first, second]);
        await arrangeParts([first, second]); // again
        await assert.rejects(arrangeParts([first]), /has 1 of the 2 parts/);
        await assert.rejects(partMapIn([first]), /has 1 of the 2 parts/);
        await assert.rejects(arrangeParts([second, first]), /part 1 in CREDENTIAL_PARTS is part 0/);
        await assert.rejects(partMapIn([first, third]), /part 1 in CREDENTIAL_PARTS is not a part yet/);
        await assert.rejects(partMapIn([first, second, third, fourth]), /has 4 parts, but the database knows 2/);
        await arrangeParts([third, fourth]);
        await assert.rejects(partMapIn([first, fourth]), /belongs to the parts of another service/);

        const issuer = await newParty(services.did);
        const alone = (await databases(1))[0];
        await (await serve([alone])).issue(requestBy(issuer), issuer.context);
        await assert.rejects(
            arrangeParts([(await databases(1))[0], alone]),
            /part 1 in CREDENTIAL_PARTS has credentials that belong to no part/,
        );
        const empty = (await databases(1))[0];
        await assert.rejects(refuseToLeave([alone], empty), /has no credentials.*copy them first/);
        await refuseToLeave([empty, alone], alone);
    });
});
