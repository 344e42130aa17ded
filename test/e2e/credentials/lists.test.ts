import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, type Call, expectError, expectOk, send } from '../support/client.ts';
import { type Did, issue, issueBody, newAccount, newDid, newKey } from '../support/world.ts';

interface Row {
    credential_id: string;
    revoked: boolean;
    [field: string]: unknown;
}

type Party = 'issuer' | 'subject';

const { api_key: token } = await newKey(await newAccount());
const known = await newDid(token);
const { api_key: unknownCaller } = await newKey(await newAccount());

function listCall(party: Party, did: string, more: Partial<Call> = {}, query = ''): Call {
    return { path: `/v1/credentials/by-${party}/${encodeURIComponent(did)}${query}`, token, ...more };
}

async function list(party: Party, did: string, by = token): Promise<{ credentials: Row[]; total: number }> {
    return expectOk(200, listCall(party, did, { token: by }));
}

const ids = (rows: readonly Row[]) => rows.map(({ credential_id }) => credential_id);

/** Issues so many one after the other, and gives their ids, the newest first. */
async function issueSome(count: number, issuer: Did, subject = 'did:web:subject.example'): Promise<string[]> {
    const made: string[] = [];
    for (let index = 0; index < count; index++) {
        const body = issueBody(issuer, subject, { credential_type: `T${index}` });
        made.unshift((await expectOk(201, { method: 'POST', path: '/v1/credentials', token, body })).credential_id);
    }
    return made;
}

describe('a list of credentials', () => {
    it('holds the whole set, newest first, with the fields of a summary and no claims', async () => {
        const issuer = await newDid(token);
        const subject = (await newDid(token)).did;
        const plain = await issue(token, issuer, { subject_did: subject });
        const expiring = await issue(token, issuer, { subject_did: subject, expiration_date: '2030-01-01' });
        const revoked = await issue(token, issuer, { subject_did: subject });
        const path = `/v1/credentials/revoke/${revoked.credential_id}`;
        await expectOk(200, { method: 'POST', path, token, body: { issuer_did: issuer.did, reason: 'secret' } });
        const shared = { credential_type: 'EmploymentCredential', revoked: false };
        const rows = [
            { ...shared, credential_id: revoked.credential_id, issued_at: revoked.issued_at, revoked: true },
            {
                ...shared,
                credential_id: expiring.credential_id,
                issued_at: expiring.issued_at,
                expires_at: '2030-01-01T00:00:00.000Z',
            },
            { ...shared, credential_id: plain.credential_id, issued_at: plain.issued_at },
        ];
        for (const gateway of [0, 1]) {
            assert.deepEqual(await expectOk(200, listCall('issuer', issuer.did, { gateway })), {
                credentials: rows.map((row) => ({ ...row, subject })),
                total: 3,
            });
            assert.deepEqual(await expectOk(200, listCall('subject', subject, { gateway })), {
                credentials: rows.map((row) => ({ ...row, issuer: issuer.did })),
                total: 3,
            });
        }
    });

    it('is in the order of issue, also for what was issued at once, and the same each time', async () => {
        const issuer = await newDid(token);
        await Promise.all(Array.from({ length: 60 }, () => issue(token, issuer)));
        const { credentials, total } = await list('issuer', issuer.did);
        assert.equal(total, 60);
        assert.equal(new Set(ids(credentials)).size, 60);
        const times = credentials.map(({ issued_at }) => String(issued_at));
        assert.deepEqual(times, times.toSorted().reverse());
        assert.deepEqual(ids((await list('issuer', issuer.did)).credentials), ids(credentials));
    });

    it('is empty for a DID that nobody has used', async () => {
        const { did } = await newDid(token);
        for (const party of ['issuer', 'subject'] as const) {
            for (const query of ['', '?limit=5']) {
                const answer = await send(listCall(party, did, {}, query));
                assert.deepEqual(answer.data, { credentials: [], total: 0 });
                assert.equal(answer.headers.get('link'), null);
            }
        }
        assert.deepEqual(await list('subject', 'did:web:nobody.example'), { credentials: [], total: 0 });
    });

    it('finds subjects of any method, whose DIDs may hold escapes of their own', async () => {
        const issuer = await newDid(token);
        const subject = `did:web:localhost%3A8443:u-${issuer.did.slice(-8)}`;
        const [id] = await issueSome(1, issuer, subject);
        assert.deepEqual(ids((await list('subject', subject)).credentials), [id]);
        assert.equal((await list('subject', decodeURIComponent(subject))).total, 0);
    });

    for (const did of ['x', 'did:', 'did:key', 'did:web:', 'did:web:x#y', 'did:web:x y', ' did:web:x', 'did:WEB:x']) {
        it(`of ${JSON.stringify(did)} is refused`, async () => {
            await expectError(400, listCall('issuer', did));
            await expectError(400, listCall('subject', did));
        });
    }
});

describe('who sees what in a list', () => {
    it('who issued it, and who owns a DID on either side; nobody else', async () => {
        const [owner, holder, user] = await Promise.all(
            ['owner', 'holder', 'user'].map(async () => (await newKey(await newAccount())).api_key),
        );
        assert.ok(owner && holder && user);
        const issuer = await newDid(owner);
        const subject = await newDid(holder);
        const issueBy = async (by: string, to: string) => (await issue(by, issuer, { subject_did: to })).credential_id;
        const first = await issueBy(user, subject.did);
        const second = await issueBy(user, 'did:web:else.example');
        const third = await issueBy(owner, subject.did);
        const seen: Array<[by: string, party: Party, did: string, ids: string[]]> = [
            [owner, 'issuer', issuer.did, [third, second, first]],
            [user, 'issuer', issuer.did, [second, first]],
            [holder, 'issuer', issuer.did, [third, first]],
            [unknownCaller, 'issuer', issuer.did, []],
            [owner, 'subject', subject.did, [third, first]],
            [user, 'subject', subject.did, [first]],
            [holder, 'subject', subject.did, [third, first]],
            [unknownCaller, 'subject', subject.did, []],
        ];
        for (const [by, party, did, expected] of seen) {
            const { credentials, total } = await list(party, did, by);
            assert.deepEqual(ids(credentials), expected);
            assert.equal(total, expected.length);
            assert.deepEqual(await walk(listCall(party, did, { token: by }, '?limit=1'), expected.length), expected);
        }
    });

    it('registering the public key of a DID shows nothing more of it', async () => {
        const issuer = await newDid(token);
        await issueSome(2, issuer);
        const body = { public_key: issuer.public_key };
        await expectOk(201, { method: 'POST', path: '/v1/did', token: unknownCaller, body });
        assert.equal((await list('issuer', issuer.did, unknownCaller)).total, 0);
    });
});

describe('paging', () => {
    it('gives each row once, in order, through the links, whatever the size of a page', async () => {
        const issuer = await newDid(token);
        const all = await issueSome(7, issuer);
        for (const limit of [1, 2, 3, 6, 7, 8, 1_000]) {
            assert.deepEqual(await walk(listCall('issuer', issuer.did, {}, `?limit=${limit}`), 7), all);
        }
        const whole = await send(listCall('issuer', issuer.did));
        assert.equal(whole.headers.get('link'), null);
        const page = await send(listCall('issuer', issuer.did, {}, '?limit=3'));
        assert.deepEqual(Object.keys(page.data), ['credentials', 'total']);
        assert.deepEqual(page.data.credentials, whole.data.credentials.slice(0, 3));
    });

    it('is not disturbed by what is issued meanwhile', async () => {
        const issuer = await newDid(token);
        const all = await issueSome(4, issuer);
        const first = await send(listCall('issuer', issuer.did, {}, '?limit=2'));
        await issueSome(3, issuer);
        const second = await send({ path: nextOf(first) ?? '', token });
        assert.deepEqual(ids(second.data.credentials), all.slice(2));
        assert.equal(second.data.total, 7);
    });

    it('a cursor serves without a limit, on every gateway, and nobody but the account that got it', async () => {
        const issuer = await newDid(token);
        const all = await issueSome(3, issuer);
        const next = nextOf(await send(listCall('issuer', issuer.did, {}, '?limit=1'))) ?? '';
        const cursor = new URLSearchParams(next.split('?')[1]).get('cursor');
        const query = `?cursor=${cursor}`;
        const rest = await expectOk(200, listCall('issuer', issuer.did, { gateway: 1 }, query));
        assert.deepEqual(ids(rest.credentials), all.slice(1));
        await expectError(400, listCall('issuer', issuer.did, { token: unknownCaller }, query));
        await expectError(400, listCall('subject', issuer.did, {}, query));
        await expectError(400, listCall('issuer', known.did, {}, query));
    });

    for (const query of [
        'limit=0',
        'limit=-1',
        'limit=1001',
        'limit=99999999999999999999',
        'limit=1.5',
        'limit=1e2',
        'limit=0x10',
        'limit=abc',
        'limit=',
        'limit',
        'limit=%201',
        'limit=٣',
        'limit=1&limit=2',
        'limit[]=1',
        'cursor=',
        'cursor=x',
        'cursor=!!!!',
        `cursor=${'A'.repeat(21)}`,
        `cursor=${'A'.repeat(22)}`,
        `cursor=${'A'.repeat(60)}`,
        `cursor=${'A'.repeat(10_000)}`,
        "cursor=' OR 1=1 --",
        'cursor=%00',
        'cursor=a&cursor=b',
        'limit=5&cursor=x',
    ]) {
        const fit = query === 'limit[]=1'; // a parameter of another name is ignored
        it(`${fit ? 'ignores' : 'refuses'} ?${query.slice(0, 60)}`, async () => {
            for (const party of ['issuer', 'subject'] as const) {
                const answer = await send(listCall(party, known.did, {}, `?${query}`));
                assert.equal(answer.status, fit ? 200 : 400, answer.text);
            }
        });
    }
});

/** The path and query that the answer's Link names. */
function nextOf(answer: Answer): string | undefined {
    const link = answer.headers.get('link');
    return link === null ? undefined : /^<(\/[^>]+)>; rel="next"$/.exec(link)?.[1];
}

/** The ids of all pages from this call on; checks their size and their total. */
async function walk(first: Call, total: number): Promise<string[]> {
    const limit = Number(/limit=(\d+)/.exec(first.path)?.[1]);
    const seen: string[] = [];
    for (let path: string | undefined = first.path; path !== undefined; ) {
        const answer: Answer = await send({ ...first, path });
        assert.equal(answer.status, 200, answer.text);
        assert.ok(answer.data.credentials.length <= limit);
        assert.equal(answer.data.total, total);
        seen.push(...ids(answer.data.credentials));
        path = nextOf(answer);
    }
    return seen;
}
