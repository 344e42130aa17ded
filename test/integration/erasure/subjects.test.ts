import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { findDrift } from '../../../services/counts/drift.store.ts';
import { didStore } from '../../../services/did/store.ts';
import { subjectErasure } from '../../../services/erasure.ts';
import { presentationStore } from '../../../services/presentations/store.ts';
import { testContext } from '../../support/harness.ts';
import { undivided } from '../credentials/undivided.ts';
import { erasureFixture, MANY, trusted } from './erasure.fixture.ts';
import { seed } from './seeds.ts';

const { db, query } = await erasureFixture();

/** Calls EraseSubject until it is done. Returns the number of calls. */
async function eraseAll(erase: ReturnType<typeof subjectErasure>, subject: string): Promise<number> {
    for (let calls = 1; ; calls++) if ((await erase({ subject_did: subject }, trusted())).done) return calls;
}

describe('EraseSubject', () => {
    it('of credentials leaves what says whether they are valid, of whatever account', async () => {
        const [ada, eve, subject] = [randomUUID(), randomUUID(), `did:web:${randomUUID()}.example`];
        for (const account of [ada, eve]) await seed(query, 'credentials', account);
        await query('UPDATE credentials.credentials SET subject = $1 WHERE account = $2', [subject, ada]);
        await query(
            `UPDATE credentials.credentials SET subject = $1
             WHERE id IN (SELECT id FROM credentials.credentials WHERE account = $2 LIMIT 10)`,
            [subject, eve],
        );
        const kept = 'id, account, issued_at, expires_at, revoked_at, issuer, status_list, status_index';
        const rows = () => query(`SELECT ${kept} FROM credentials.credentials ORDER BY id`);
        const others = () => query(`SELECT * FROM credentials.credentials WHERE subject LIKE 'did:web:%' ORDER BY id`);
        const before = await rows();
        const erase = subjectErasure(undivided(db).subjectErasure);
        assert.equal(await eraseAll(erase, subject), Math.floor((MANY + 10) / 1_000) + 1);
        assert.deepEqual(await rows(), before);
        assert.equal((await others()).length, MANY - 10, 'other subjects stay');
        const erased = await query(
            `SELECT credential_type, revocation_reason, count(*)::int AS rows FROM credentials.credentials
             WHERE subject = 'did:invalid:erased' GROUP BY 1, 2`,
        );
        assert.deepEqual(erased, [{ credential_type: '', revocation_reason: null, rows: MANY + 10 }]);
        assert.equal(await eraseAll(erase, subject), 1, 'a repeated call has nothing to do');
    });

    it('of presentations leaves them without their holder', async () => {
        const [ada, eve, holder] = [randomUUID(), randomUUID(), `did:web:${randomUUID()}.example`];
        for (const account of [ada, eve]) await seed(query, 'presentations', account);
        await query('UPDATE presentations.presentations SET holder = $1 WHERE account = $2', [holder, ada]);
        const calls = await eraseAll(subjectErasure([presentationStore(db).holderErasure]), holder);
        assert.equal(calls, Math.floor(MANY / 1_000) + 1);
        const holders = await query(
            `SELECT account, holder, count(*)::int AS rows FROM presentations.presentations
             WHERE account = ANY($1::uuid[]) GROUP BY 1, 2 ORDER BY 2`,
            [[ada, eve]],
        );
        assert.deepEqual(holders, [
            { account: ada, holder: 'did:invalid:erased', rows: MANY },
            { account: eve, holder: 'did:web:holder', rows: MANY },
        ]);
    });

    it('of did removes a registered DID, and none whose key the service has made', async () => {
        const dids = didStore(db);
        const rowOf = (origin: 'registered' | 'generated' | 'wallet') => ({
            did: `did:web:${origin}-${randomUUID()}`,
            public_key: new Uint8Array(32),
            account: randomUUID(),
            origin,
        });
        const rows = [rowOf('registered'), rowOf('generated'), rowOf('wallet')];
        for (const row of rows) {
            await dids.insert(row);
            assert.equal(await eraseAll(subjectErasure([dids.registeredErasure]), row.did), 1);
        }
        const left = await query('SELECT origin FROM did.dids WHERE did = ANY($1) ORDER BY 1', [
            rows.map(({ did }) => did),
        ]);
        assert.deepEqual(left, [{ origin: 'generated' }, { origin: 'wallet' }]);
        const own = rows.map(({ account }): string | null => account);
        const drift = await findDrift(() => [db]);
        assert.deepEqual(
            drift.filter(({ account }) => own.includes(account)),
            [],
        );
    });

    it('is for trusted callers, and for a DID', async () => {
        const erase = subjectErasure([didStore(db).registeredErasure]);
        const request = { subject_did: 'did:web:a.example' };
        await assert.rejects(erase(request, testContext({})), { kind: 'forbidden' });
        for (const subject of ['', 'x', 'did:', 'did:invalid:erased'])
            await assert.rejects(erase({ subject_did: subject }, trusted()), { kind: 'invalid' });
    });
});
