import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, test } from 'node:test';
import { AppError } from '../../../platform/errors.ts';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { bind, client } from '../../../platform/rpc/definition.ts';
import { dispatcher } from '../../../platform/rpc/dispatch.ts';
import { localTransport } from '../../../platform/rpc/local.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { DidServiceDefinition } from '../../../proto/gen/did/v1/did.ts';
import { foreignView } from '../../../services/credentials/foreign-view.ts';
import type { ListedRow, Party } from '../../../services/credentials/rows.ts';
import { credentialStore } from '../../../services/credentials/store.ts';
import { didStore } from '../../../services/did/store.ts';
import { encodeDidKey } from '../../../workers/crypto/did-key.ts';
import { publicKeyFrom } from '../../../workers/crypto/ed25519.ts';
import { quiet, testContext } from '../../support/harness.ts';
import { startServices, testCursors } from './credentials.fixture.ts';

/** What an account sees of a DID that is not its own, where that DID has many rows. */

const { db, did } = await startServices();
/** The tests are about what is read, not about time. */
const patient = () => testContext({ deadline: Number.POSITIVE_INFINITY });
const context = patient();
const account = context.user_id ?? '';
const unknownCaller = patient();

const LARGE: Party = { role: 'issuer', did: 'did:key:large-issuer' };
const BUSY: Party = { role: 'subject', did: 'did:key:large-subject' };
const PARTY_ROWS = 10_000;
/** The account has issued more than one page may read, about and by others. */
const OWN_ROWS = 25_000;
const OWN_DIDS = 40;
const ownDid = (index: number): string => `did:key:own-${index}`;

function newDid(): string {
    const key = publicKeyFrom(randomBytes(32));
    assert.ok(key);
    return encodeDidKey(key);
}

interface Rows {
    count: number;
    account: string | null;
    /** SQL, by `n`. */
    issuer: ReturnType<typeof sql.fragment>;
    subject: ReturnType<typeof sql.fragment>;
}

async function write({ count, account: by, issuer, subject }: Rows): Promise<void> {
    for (let from = 1; from <= count; from += 5_000) {
        const to = Math.min(count, from + 4_999);
        await db.rows(sql.unsafe`
            INSERT INTO credentials.credentials (id, account, issued_at, issuer, subject, credential_type)
            SELECT gen_random_uuid(), ${by}, now(), ${issuer}, ${subject}, 't'
            FROM generate_series(${from}::int, ${to}::int) AS n`);
    }
}

const text = (value: string) => sql.fragment`${value}::text`;
const nth = (prefix: string, modulus = 1_000_000) => sql.fragment`${prefix} || (n % ${modulus}::int)`;

before(async () => {
    const rows = Array.from({ length: OWN_DIDS }, (_, index) => ({
        did: ownDid(index),
        public_key: Buffer.from(ownDid(index)),
        account,
        origin: 'generated' as const,
    }));
    await Promise.all(rows.map((row) => didStore(db).insert(row)));
    // What others have to do with each other.
    await write({ count: PARTY_ROWS, account: null, issuer: text(LARGE.did), subject: nth('did:key:other-') });
    await write({ count: PARTY_ROWS, account: null, issuer: nth('did:key:other-'), subject: text(BUSY.did) });
    // What the account has to do with others, and with the large ones.
    await write({ count: OWN_ROWS, account, issuer: nth('did:key:borrowed-', 7), subject: nth('did:key:other-') });
    await write({ count: 2_500, account: null, issuer: text('did:key:third'), subject: text(ownDid(3)) });
    await write({ count: 30, account, issuer: text(LARGE.did), subject: nth('did:key:other-') });
    await write({ count: 40, account: null, issuer: text(LARGE.did), subject: nth('did:key:own-', OWN_DIDS) });
    await write({ count: 1_700, account: null, issuer: text(LARGE.did), subject: text(ownDid(3)) });
    await write({ count: 5, account, issuer: text(LARGE.did), subject: text(ownDid(1)) });
    await write({ count: 12, account, issuer: nth('did:key:borrowed-', 7), subject: text(BUSY.did) });
    await write({ count: 9, account: null, issuer: text(ownDid(0)), subject: text(BUSY.did) });
    await db.rows(sql.unsafe`ANALYZE credentials.credentials`);
});

/** The ids that the account may see, by the letter of the rule. */
async function visible({ role, did: party }: Party): Promise<string[]> {
    const other = sql.identifier([role === 'issuer' ? 'subject' : 'issuer']);
    const rows = await db.rows<{ id: string }>(sql.unsafe`
        SELECT id FROM credentials.credentials
        WHERE ${sql.identifier([role])} = ${party} AND (
            account = ${account}
            OR ${other} IN (SELECT did FROM did.dids WHERE account = ${account} AND origin IN ('generated', 'wallet')))
        ORDER BY id DESC`);
    return rows.map(({ id }) => id);
}

function viewOf(party: Party, database: Database = db, by = account) {
    const store = credentialStore(database);
    return foreignView({ store, services: { did }, cursors: testCursors, list_scope: 'owner' }, { party, account: by });
}

/** All pages of `size` rows; each goes on where the one before has ended. */
async function read(party: Party, size: number): Promise<ListedRow[][]> {
    const pages: ListedRow[][] = [];
    for (let from: string | undefined; ; ) {
        const { rows, stopped_at } = await viewOf(party).page({ before: from, size }, context);
        pages.push([...rows]);
        assert.ok(rows.length <= size);
        const end = rows.length === size ? rows.at(-1)?.id : stopped_at;
        if (end === undefined) return pages;
        assert.ok(from === undefined || end < from, 'each page goes on');
        from = end;
    }
}

for (const party of [LARGE, BUSY]) {
    for (const size of [1_000, 37, 400]) {
        test(`pages of ${size} show all of a large ${party.role} that concerns the account, once and in order`, async () => {
            const ids = (await read(party, size)).flat().map(({ id }) => id);
            assert.deepEqual(ids, await visible(party));
        });
    }

    test(`the total of a large ${party.role} is what its pages show`, async () => {
        assert.equal(await viewOf(party).count(context), (await visible(party)).length);
    });

    test(`of a large ${party.role} a stranger sees nothing, on one page`, async () => {
        const view = viewOf(party, db, unknownCaller.user_id);
        assert.deepEqual(await view.page({ before: undefined, size: 1_000 }, unknownCaller), {
            rows: [],
            stopped_at: undefined,
        });
        assert.equal(await view.count(unknownCaller), 0);
    });
}

interface Plan {
    'Node Type': string;
    'Actual Rows': number;
    'Actual Loops': number;
    'Rows Removed by Filter'?: number;
    Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** A database that counts the rows which its statements read from tables and indexes. */
function counting(): { database: Database; read(): number } {
    let read = 0;
    async function explain(query: Parameters<Database['rows']>[0]): Promise<void> {
        const [row] = await db.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
            sql.unsafe`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`,
        );
        for (const node of row ? nodesOf(row['QUERY PLAN'][0].Plan) : []) {
            if (!/^(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(node['Node Type'])) continue;
            read += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
        }
    }
    const database: Database = {
        ...db,
        async rows(query) {
            await explain(query);
            return db.rows(query);
        },
        async prepared(_name, query) {
            await explain(query);
            return db.rows(query);
        },
    };
    return { database, read: () => read };
}

test('a stranger’s page and total read no more than a small party has, however many rows the party has', async () => {
    for (const party of [LARGE, BUSY]) {
        const { database, read } = counting();
        const view = viewOf(party, database, unknownCaller.user_id);
        await view.page({ before: undefined, size: 2 }, unknownCaller);
        await view.count(unknownCaller);
        assert.ok(read() <= 2 * 1_001, `${party.role}: ${read()} rows`);
    }
});

test('a page reads a bounded number of the account’s own rows, and a total each of them once', async () => {
    for (const party of [LARGE, BUSY]) {
        const page = counting();
        await viewOf(party, page.database).page({ before: undefined, size: 2 }, context);
        assert.ok(page.read() <= 32_000, `${party.role}: a page reads ${page.read()} rows`);
        const total = counting();
        await viewOf(party, total.database).count(context);
        const own = OWN_ROWS + 6_000;
        assert.ok(total.read() <= own, `${party.role}: a total reads ${total.read()} rows`);
    }
});

test('a search whose caller has gone stops after the statement that is under way', async () => {
    const leaving = patient();
    const store = credentialStore(db);
    let statements = 0;
    const abandoned: typeof store = {
        ...store,
        readStrands(...query) {
            statements++;
            leaving.cancellation.cancel();
            return store.readStrands(...query);
        },
    };
    const deps = { store: abandoned, services: { did }, cursors: testCursors, list_scope: 'owner' } as const;
    const view = foreignView(deps, { party: LARGE, account });
    const isOver = (error: unknown) => error instanceof AppError && error.kind === 'cancelled';
    await assert.rejects(view.page({ before: undefined, size: 1_000 }, leaving), isOver);
    assert.equal(statements, 1);
});

test('a did process of the release before, which cannot tell the account’s DIDs, makes a list unavailable for a while', async () => {
    const methods = bind(DidServiceDefinition, did).filter(({ path }) => !path.endsWith('/ListOwned'));
    const dispatch = dispatcher(methods, { log: quiet, metrics: createMetrics() });
    const services = { did: client(DidServiceDefinition, localTransport(dispatch)) };
    const deps = { store: credentialStore(db), services, cursors: testCursors, list_scope: 'owner' } as const;
    const page = foreignView(deps, { party: LARGE, account }).page({ before: undefined, size: 10 }, context);
    await assert.rejects(page, (error) => error instanceof AppError && error.kind === 'unavailable');
});

test('an account of more DIDs than are looked up at a time sees what concerns each of them', async () => {
    const many = patient();
    const dids = Array.from({ length: 1_200 }, newDid);
    const insert = didStore(db).insert;
    await Promise.all(
        dids.map((own) => insert({ did: own, public_key: Buffer.from(own), account: many.user_id, origin: 'wallet' })),
    );
    const values = sql.unnest(
        dids.map((own) => [own]),
        ['text'],
    );
    await db.rows(sql.unsafe`
        INSERT INTO credentials.credentials (id, issued_at, issuer, subject, credential_type)
        SELECT gen_random_uuid(), now(), ${LARGE.did}, did, 't' FROM ${values} AS own (did)`);
    const view = viewOf(LARGE, db, many.user_id);
    const { rows, stopped_at } = await view.page({ before: undefined, size: 2_000 }, many);
    assert.deepEqual(new Set(rows.map(({ subject }) => subject)), new Set(dids));
    assert.deepEqual([rows.length, stopped_at], [1_200, undefined]);
    assert.equal(await view.count(many), 1_200);
    const first = await view.page({ before: undefined, size: 50 }, many);
    assert.deepEqual(
        first.rows.map(({ id }) => id),
        rows.slice(0, 50).map(({ id }) => id),
    );
});
