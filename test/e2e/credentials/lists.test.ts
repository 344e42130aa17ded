import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, expectOk, send } from '../support/client.ts';
import { aKey, issue, newAccount, newDid, newKey } from '../support/world.ts';
import { ids, listCalls, type Party, walk } from './lists.fixture.ts';

const token = await aKey();
const otherCaller = await aKey();
const { listCall, list, issueSome } = listCalls(token);

describe('a list of credentials', () => {
    it('contains all credentials, newest first, with the fields of a summary and without claims', async () => {
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

    it('is in the order of issue and the same each time, also for credentials issued at once', async () => {
        const issuer = await newDid(token);
        await Promise.all(Array.from({ length: 60 }, () => issue(token, issuer)));
        const { credentials, total } = await list('issuer', issuer.did);
        assert.equal(total, 60);
        assert.equal(new Set(ids(credentials)).size, 60);
        const times = credentials.map(({ issued_at }) => String(issued_at));
        assert.deepEqual(times, times.toSorted().reverse());
        assert.deepEqual(ids((await list('issuer', issuer.did)).credentials), ids(credentials));
    });

    it('is empty for an unused DID', async () => {
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

    it('finds subjects of any DID method, also with escapes in the DID', async () => {
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

describe('the visibility of a credential in lists', () => {
    it('is limited to the account that issued it, and in a list of a DID to the owner of that DID', async () => {
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
            [holder, 'issuer', issuer.did, []],
            [otherCaller, 'issuer', issuer.did, []],
            [owner, 'subject', subject.did, [third]],
            [user, 'subject', subject.did, [first]],
            [holder, 'subject', subject.did, [third, first]],
            [otherCaller, 'subject', subject.did, []],
        ];
        for (const [by, party, did, expected] of seen) {
            const { credentials, total } = await list(party, did, by);
            assert.deepEqual(ids(credentials), expected);
            assert.equal(total, expected.length);
            assert.deepEqual(await walk(listCall(party, did, { token: by }, '?limit=1'), expected.length), expected);
        }
    });

    it('is not extended to an account that registers the public key of a DID', async () => {
        const issuer = await newDid(token);
        await issueSome(2, issuer);
        const body = { public_key: issuer.public_key };
        await expectOk(201, { method: 'POST', path: '/v1/did', token: otherCaller, body });
        assert.equal((await list('issuer', issuer.did, otherCaller)).total, 0);
    });
});
