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
import { quiet } from '../../support/harness.ts';
import { testCursors } from '../services/reached.ts';
import { BUSY, LARGE, longContext, OWN_ROWS, startForeign, writeRows } from './credentials-foreign.fixture.ts';

/** Tests what an account sees of a DID that it does not own and that has many rows. */

const { db, did, context, account, viewOf, visible } = await startForeign();
const otherContext = longContext();
before(() => writeRows(db, account));

function newDid(): string {
    const key = publicKeyFrom(randomBytes(32));
    assert.ok(key);
    return encodeDidKey(key);
}

/** Reads all pages of `size` rows. Each page starts where the previous one ended. */
async function read(party: Party, size: number): Promise<ListedRow[][]> {
    const pages: ListedRow[][] = [];
    for (let from: string | undefined; ; ) {
        const { rows, stoppedAt } = await viewOf(party).page({ before: from, size }, context);
        pages.push([...rows]);
        assert.ok(rows.length <= size);
        const end = rows.length === size ? rows.at(-1)?.id : stoppedAt;
        if (end === undefined) return pages;
        assert.ok(from === undefined || end < from, 'each page starts after the previous one');
        from = end;
    }
}

for (const party of [LARGE, BUSY]) {
    for (const size of [1_000, 37, 400]) {
        test(`pages of ${size} show every visible row of a large ${party.role} once and in order`, async () => {
            const ids = (await read(party, size)).flat().map(({ id }) => id);
            assert.deepEqual(ids, await visible(party));
        });
    }

    test(`the total of a large ${party.role} equals the number of rows on its pages`, async () => {
        assert.equal(await viewOf(party).count(context), (await visible(party)).length);
    });

    test(`an unknown caller sees no row of a large ${party.role}, and a single empty page`, async () => {
        const view = viewOf(party, db, otherContext.user_id);
        assert.deepEqual(await view.page({ before: undefined, size: 1_000 }, otherContext), {
            rows: [],
            stoppedAt: undefined,
        });
        assert.equal(await view.count(otherContext), 0);
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

/** A database that counts the rows that its statements read from tables and indexes. */
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

test('an unknown caller’s page and total read a bounded number of rows, however many the party has', async () => {
    for (const party of [LARGE, BUSY]) {
        const { database, read } = counting();
        const view = viewOf(party, database, otherContext.user_id);
        await view.page({ before: undefined, size: 2 }, otherContext);
        await view.count(otherContext);
        assert.ok(read() <= 2 * 1_001, `${party.role}: ${read()} rows`);
    }
});

test('a page reads a bounded number of the account’s own rows, and a total reads each of them once', async () => {
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

test('a search whose caller has disconnected stops after the current statement', async () => {
    const leaving = longContext();
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
    const deps = { store: abandoned, services: { did }, cursors: testCursors, listScope: 'owner' } as const;
    const view = foreignView(deps, { party: LARGE, account });
    const isOver = (error: unknown) => error instanceof AppError && error.kind === 'cancelled';
    await assert.rejects(view.page({ before: undefined, size: 1_000 }, leaving), isOver);
    assert.equal(statements, 1);
});

test('a list is unavailable while a did process of the previous release cannot list the account’s DIDs', async () => {
    const methods = bind(DidServiceDefinition, did).filter(({ path }) => !path.endsWith('/ListOwned'));
    const { local } = dispatcher(methods, { log: quiet, metrics: createMetrics() });
    const services = { did: client(DidServiceDefinition, localTransport(local)) };
    const deps = { store: credentialStore(db), services, cursors: testCursors, listScope: 'owner' } as const;
    const page = foreignView(deps, { party: LARGE, account }).page({ before: undefined, size: 10 }, context);
    await assert.rejects(page, (error) => error instanceof AppError && error.kind === 'unavailable');
});

test('an account with more DIDs than one lookup takes sees the credentials of each of them', async () => {
    const many = longContext();
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
    const { rows, stoppedAt } = await view.page({ before: undefined, size: 2_000 }, many);
    assert.deepEqual(new Set(rows.map(({ subject }) => subject)), new Set(dids));
    assert.deepEqual([rows.length, stoppedAt], [1_200, undefined]);
    assert.equal(await view.count(many), 1_200);
    const first = await view.page({ before: undefined, size: 50 }, many);
    assert.deepEqual(
        first.rows.map(({ id }) => id),
        rows.slice(0, 50).map(({ id }) => id),
    );
});
