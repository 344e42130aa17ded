import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { CallContext } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { type ListRequest, ListResponse } from '../../../proto/gen/credentials/v1/credentials.ts';
import { OWN_CAUSE } from '../../../services/outbox/cause.ts';
import { decodeDidKey } from '../../../tokens/did-key.ts';
import { testContext } from '../../support/harness.ts';
import { nextMillisecond } from '../../support/until.ts';
import {
    type Credentials,
    internalContext,
    newParty,
    type Party,
    refuses,
    requestBy,
    shown,
    startServices,
} from './credentials.fixture.ts';

const { did, store, credentials, open } = await startServices();

type Query = Pick<ListRequest, 'issuer_did' | 'subject_did'>;

function list(
    query: Query,
    context: CallContext,
    changes: Partial<ListRequest> = {},
    service: Credentials = credentials,
) {
    return service.list({ ...query, limit: 1_000, with_total: false, ...changes }, context);
}

/** Reads all pages of `limit` rows, one after the other. */
async function pages(query: Query, context: CallContext, limit: number): Promise<ListResponse[]> {
    const all: ListResponse[] = [];
    let cursor: string | undefined;
    do {
        const page = await list(query, context, { limit, cursor });
        all.push(page);
        cursor = page.next_cursor;
    } while (cursor !== undefined);
    return all;
}

function idsOf(read: readonly ListResponse[]): string[] {
    return read.flatMap((page) => page.credentials.map((row) => row.credential_id));
}

async function idsSeen(query: Query, context: CallContext, service?: Credentials): Promise<string[]> {
    const page = await list(query, context, { with_total: true }, service);
    assert.equal(page.total, page.credentials.length);
    return idsOf([page]);
}

/** Writes credentials of one issuer directly to the store. Returns their ids, newest first. */
async function fill(party: Party, count: number, subject: (index: number) => string): Promise<string[]> {
    const rows = Array.from({ length: count }, (_, index) => ({
        id: newId(),
        account: party.account,
        issued_at: '2025-01-01T00:00:00.000Z',
        expires_at: undefined,
        ...{ issuer: party.did, subject: subject(index), credential_type: 'T' },
        cause: OWN_CAUSE,
    }));
    await Promise.all(rows.map((row) => store.insert(row)));
    return rows.map(({ id }) => `urn:uuid:${id}`).sort((one, other) => (one < other ? 1 : -1));
}

test('a list shows summaries with their revocation state, newest first', async () => {
    const [issuer, subject] = [await newParty(did), await newParty(did)];
    const issue = (changes = {}) =>
        credentials.issue(requestBy(issuer, { subject_did: subject.did, ...changes }), issuer.context);
    const older = await issue({ expiration_date: '2999-01-01' });
    await nextMillisecond();
    const newer = await issue();
    await credentials.revoke({ credential_id: newer.credential_id, issuer_did: issuer.did }, issuer.context);
    const common = { issuer: issuer.did, subject: subject.did, credential_type: 'EmploymentCredential' };
    const expected = {
        credentials: [
            { credential_id: newer.credential_id, ...common, issued_at: newer.issued_at, revoked: true },
            {
                credential_id: older.credential_id,
                ...common,
                issued_at: older.issued_at,
                expires_at: '2999-01-01T00:00:00.000Z',
                revoked: false,
            },
        ],
        total: 2,
    };
    for (const [query, context] of [
        [{ issuer_did: issuer.did }, issuer.context],
        [{ subject_did: subject.did }, subject.context],
    ] as const) {
        assert.deepEqual(shown(await list(query, context, { with_total: true })), expected);
    }
});

test('pages of any size add up to the whole list, and each page has the total', async () => {
    const issuer = await newParty(did);
    const ids = await fill(issuer, 10, () => 'did:example:alice');
    const query = { issuer_did: issuer.did };
    for (const limit of [1, 3, 5, 9, 10, 11]) {
        const all = await pages(query, issuer.context, limit);
        assert.deepEqual(idsOf(all), ids);
        assert.equal(all.length, Math.ceil(ids.length / limit));
    }
    const first = await list(query, issuer.context, { limit: 4, with_total: true });
    const second = await list(query, issuer.context, { limit: 4, with_total: true, cursor: first.next_cursor });
    assert.deepEqual([first.total, second.total], [10, 10]);
});

test('credentials that are issued between two pages move no row from one page to the other', async () => {
    const issuer = await newParty(did);
    const ids = await fill(issuer, 4, () => 'did:example:alice');
    await nextMillisecond();
    const first = await list({ issuer_did: issuer.did }, issuer.context, { limit: 2 });
    await fill(issuer, 3, () => 'did:example:bob');
    const second = await list({ issuer_did: issuer.did }, issuer.context, { limit: 2, cursor: first.next_cursor });
    assert.deepEqual(idsOf([first, second]), ids);
});

test('a caller sees each credential of a DID that it owns, and of other DIDs those that it issued', async () => {
    const [issuer, subject, otherContext] = [await newParty(did), await newParty(did), await newParty(did)];
    const helper = testContext();
    const issue = async (subjectDid: string, context: CallContext) =>
        (await credentials.issue(requestBy(issuer, { subject_did: subjectDid }), context)).credential_id;
    const own = await issue('did:example:alice', issuer.context);
    const aboutSubject = await issue(subject.did, issuer.context);
    const byHelper = await issue('did:example:alice', helper);
    // Registering a public key gives no rights.
    await did.create({ public_key: decodeDidKey(issuer.did) }, otherContext.context);

    const ofIssuer = { issuer_did: issuer.did };
    const all = [byHelper, aboutSubject, own].sort().reverse(); // credentials of one millisecond are in no order
    assert.deepEqual(await idsSeen(ofIssuer, issuer.context), all);
    assert.deepEqual(await idsSeen(ofIssuer, subject.context), []);
    assert.deepEqual(await idsSeen(ofIssuer, helper), [byHelper]);
    assert.deepEqual(await idsSeen(ofIssuer, otherContext.context), []);

    const ofAlice = { subject_did: 'did:example:alice' };
    assert.deepEqual(await idsSeen(ofAlice, issuer.context), [own]);
    assert.deepEqual(await idsSeen(ofAlice, helper), [byHelper]);
    assert.deepEqual(await idsSeen(ofAlice, subject.context), []);
    const ofSubject = { subject_did: subject.did };
    assert.deepEqual(await idsSeen(ofSubject, subject.context), [aboutSubject]);
    assert.deepEqual(await idsSeen(ofSubject, issuer.context), [aboutSubject]);
    assert.deepEqual(await idsSeen(ofSubject, helper), []);
});

test('pages of a DID that the caller does not own show what it issued, each credential once', async () => {
    const [issuer, helper] = [await newParty(did), await newParty(did)];
    const alice = () => 'did:example:alice';
    await fill(issuer, 2, alice);
    const own = await fill({ ...issuer, account: helper.account }, 5, alice);
    await fill(issuer, 2, alice);
    for (const query of [{ issuer_did: issuer.did }, { subject_did: alice() }]) {
        for (const limit of [1, 2, 5]) {
            const all = await pages(query, helper.context, limit);
            assert.deepEqual(idsOf(all), own);
            assert.equal(all.length, Math.ceil(own.length / limit), 'no page is short');
        }
        const first = await list(query, helper.context, { limit: 1, with_total: true });
        assert.equal(first.total, own.length);
    }
});

test('every row is visible in the platform scope, and to a trusted caller that acts for no account', async () => {
    const issuer = await newParty(did);
    const query = { issuer_did: issuer.did };
    const ids = await fill(issuer, 2, () => 'did:example:alice');
    assert.deepEqual(await idsSeen(query, internalContext()), ids);
    assert.deepEqual(await idsSeen(query, testContext({ trusted: true })), []);
    assert.deepEqual(await idsSeen(query, testContext(), open('platform')), ids);
    await refuses('unauthenticated', list(query, testContext({ user_id: undefined })));
});

test('a malformed query is refused', async () => {
    const { did: issuerDid, context } = await newParty(did);
    const good = { issuer_did: issuerDid, limit: 10, with_total: false };
    const queries: Array<Partial<ListRequest>> = [
        { issuer_did: undefined },
        { subject_did: issuerDid },
        { issuer_did: '' },
        { issuer_did: 'did:web:example.com' },
        { issuer_did: undefined, subject_did: 'alice' },
        { issuer_did: undefined, subject_did: 'did:example:a\0' },
        { limit: 0 },
        { limit: 1_001 },
        ...['', 'x', newId(), 'A'.repeat(21), `${'A'.repeat(21)}B`, 'A'.repeat(23)].map((cursor) => ({ cursor })),
    ];
    for (const query of queries) await refuses('invalid', credentials.list({ ...good, ...query }, context));
});

test('a cursor is valid only for the caller and the list that it was made for', async () => {
    const [issuer, otherContext] = [await newParty(did), await newParty(did)];
    const [newest = ''] = await fill(issuer, 3, () => issuer.did);
    const query = { issuer_did: issuer.did };
    const { next_cursor: cursor } = await list(query, issuer.context, { limit: 1 });
    assert.ok(cursor);
    assert.equal((await list(query, issuer.context, { cursor })).credentials.length, 2);
    for (const other of [otherContext.context, internalContext()])
        await refuses('invalid', list(query, other, { cursor }));
    await refuses('invalid', list({ issuer_did: otherContext.did }, issuer.context, { cursor }));
    await refuses('invalid', list({ subject_did: issuer.did }, issuer.context, { cursor }));
    const bare = Buffer.from(newest.replaceAll(/urn:uuid:|-/g, ''), 'hex').toString('base64url');
    await refuses('invalid', list(query, issuer.context, { cursor: bare }));
});

test('a page of the longest rows stays below 2 MiB, and the pages leave no row out', async () => {
    const issuer = await newParty(did);
    const longest = `did:example:${randomBytes(1_018).toString('hex')}`;
    const ids = await fill(issuer, 1_000, () => longest);
    const all = await pages({ issuer_did: issuer.did }, issuer.context, 1_000);
    for (const page of all) assert.ok(ListResponse.encode(page).finish().byteLength < 2 << 20);
    assert.ok(all.length > 1);
    assert.deepEqual(idsOf(all), ids);
});
