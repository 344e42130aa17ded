import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import type { Party } from '../../../services/credentials/rows.ts';
import { credentialStore } from '../../../services/credentials/store.ts';
import { testContext, testDatabase } from '../../support/harness.ts';

const { db } = await testDatabase();

const LARGE = 'did:key:large';
const LARGE_ROWS = 50_000;
const SMALL_ISSUERS = 40;
const ROWS_EACH = 25;

before(async () => {
    const write = (rows: number, issuer: ReturnType<typeof sql.fragment>) =>
        db.rows(sql.unsafe`
            INSERT INTO credentials.credentials (id, issued_at, issuer, subject, credential_type)
            SELECT gen_random_uuid(), now(), ${issuer}, 'did:key:subject-' || row % 100, 't'
            FROM generate_series(1, ${rows}::int) AS row`);
    await write(LARGE_ROWS, sql.fragment`${LARGE}`);
    await write(SMALL_ISSUERS * ROWS_EACH, sql.fragment`'did:key:issuer-' || row % ${SMALL_ISSUERS}::int`);
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
            { role: 'subject', did: 'did:key:subject-3' },
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

interface Plan {
    'Node Type': string;
    'Actual Rows': number;
    'Actual Loops': number;
    Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

for (const role of ['issuer', 'subject'] as const) {
    it(`a page of one ${role} reads no more rows than it returns, however large the table is`, async () => {
        const nodes: Plan[] = [];
        const explaining: Database = {
            ...db,
            async prepared(_name, query) {
                const [row] = await db.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
                    sql.unsafe`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`,
                );
                nodes.push(...(row ? nodesOf(row['QUERY PLAN'][0].Plan) : []));
                return db.rows(query);
            },
        };
        const did = role === 'issuer' ? LARGE : 'did:key:subject-3';
        const rows = await credentialStore(explaining).page(
            { role, did },
            { before: undefined, size: 26 },
            testContext(),
        );
        assert.equal(rows.length, 26);
        const read = nodes.filter((node) => /^(Seq|Index|Index Only|Bitmap \w+) Scan$/.test(node['Node Type']));
        assert.ok(read.length > 0);
        for (const node of read) assert.ok(node['Actual Rows'] * node['Actual Loops'] <= 26, JSON.stringify(node));
    });
}
