import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import type { Party } from '../../../services/credentials/rows.ts';
import { credentialStore } from '../../../services/credentials/store.ts';
import { testContext, testDatabase } from '../../support/harness.ts';
import { countingReads } from '../services/counting-reads.ts';

const { db } = await testDatabase();

const LARGE = 'did:key:large';
const LARGE_ROWS = 50_000;
const SMALL_ISSUERS = 40;
const ROWS_EACH = 25;
const SUBJECT = 'did:key:subject-3';
/** It has issued credentials of LARGE, of SUBJECT, and many with other DIDs. */
const ACCOUNT = newId();
const OWN_ROWS = 60;

type Fragment = ReturnType<typeof sql.fragment>;
const ONE_OF_100 = sql.fragment`'did:key:subject-' || row % 100`;

before(async () => {
    const write = (rows: number, issuer: Fragment, by?: string, subject: Fragment = ONE_OF_100) =>
        db.rows(sql.unsafe`
            INSERT INTO credentials.credentials (id, account, issued_at, issuer, subject, credential_type)
            SELECT gen_random_uuid(), ${by ?? null}::uuid, now(), ${issuer}, ${subject}, 't'
            FROM generate_series(1, ${rows}::int) AS row`);
    await write(LARGE_ROWS, sql.fragment`${LARGE}`);
    await write(SMALL_ISSUERS * ROWS_EACH, sql.fragment`'did:key:issuer-' || row % ${SMALL_ISSUERS}::int`);
    await write(LARGE_ROWS / 2, sql.fragment`'did:key:borrowed'`, ACCOUNT, sql.fragment`'did:key:holder-' || row`);
    await write(OWN_ROWS, sql.fragment`${LARGE}`, ACCOUNT, sql.fragment`'did:key:holder-' || row`);
    await write(OWN_ROWS, sql.fragment`'did:key:borrowed'`, ACCOUNT, sql.fragment`${SUBJECT}`);
    await db.rows(sql.unsafe`ANALYZE credentials.credentials`);
});

it('pages read in one batch equal pages read alone: each has its own rows, in order, up to its own size', async () => {
    const store = credentialStore(db);
    const context = testContext();
    const middle = (await store.page({ role: 'issuer', did: LARGE }, { before: undefined, size: 500 }, context)).at(
        -1,
    )?.id;
    const asked: Array<[Party, { before: string | undefined; size: number }]> = [
        ...Array.from({ length: SMALL_ISSUERS }, (_, index): [Party, { before: undefined; size: number }] => [
            { role: 'issuer', did: `did:key:issuer-${index}` },
            { before: undefined, size: 1 + index },
        ]),
        [
            { role: 'issuer', did: LARGE },
            { before: undefined, size: 1_001 },
        ],
        [
            { role: 'issuer', did: LARGE },
            { before: middle, size: 7 },
        ],
        [
            { role: 'issuer', did: 'did:key:nobody' },
            { before: undefined, size: 10 },
        ],
        [
            { role: 'subject', did: SUBJECT },
            { before: undefined, size: 30 },
        ],
    ];
    const together = await Promise.all(asked.map(([party, range]) => store.page(party, range, context)));
    const sizes = together.map((rows) => rows.length);
    assert.deepEqual(sizes, [
        ...Array.from({ length: SMALL_ISSUERS }, (_, index) => Math.min(1 + index, ROWS_EACH)),
        1_001,
        7,
        0,
        30,
    ]);
    for (const [index, [{ role, did }, { before: below }]] of asked.entries()) {
        const rows = together[index] ?? [];
        const ids = rows.map(({ id }) => id);
        assert.deepEqual(ids, ids.toSorted().reverse(), did);
        assert.ok(
            rows.every((row) => row[role] === did && (below === undefined || row.id < below)),
            did,
        );
        const alone = await store.page(...(asked[index] as (typeof asked)[number]), context); // the index is in range
        assert.deepEqual(
            alone.map(({ id }) => id),
            ids,
            did,
        );
    }
});

for (const role of ['issuer', 'subject'] as const) {
    const did = role === 'issuer' ? LARGE : SUBJECT;
    for (const issuedBy of [undefined, ACCOUNT, newId()]) {
        const party = { role, did, issued_by: issuedBy };
        const rows = issuedBy === ACCOUNT ? 'own rows' : issuedBy ? 'a stranger’s rows' : 'all rows';
        const size = 26;

        it(`a page of ${rows} of one ${role} reads no more than it returns, however large the table is`, async () => {
            const { database, read } = countingReads(db);
            const page = await credentialStore(database).page(party, { before: undefined, size }, testContext());
            assert.equal(page.length, rows === 'a stranger’s rows' ? 0 : size);
            assert.ok(page.every((row) => row[role] === did));
            assert.equal(read(), page.length);
        });

        if (issuedBy === undefined) continue;
        it(`the total of ${rows} of one ${role} reads these rows only`, async () => {
            const { database, read } = countingReads(db);
            const total = await credentialStore(database).count(party);
            assert.equal(total, issuedBy === ACCOUNT ? OWN_ROWS : 0);
            assert.equal(read(), total);
        });
    }
}
