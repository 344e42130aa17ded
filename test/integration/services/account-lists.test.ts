import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import type { CallContext } from '../../../platform/context.ts';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { PresentationsServiceDefinition } from '../../../proto/gen/presentations/v1/presentations.ts';
import { credentialStore } from '../../../services/credentials/store.ts';
import { didStore } from '../../../services/did/store.ts';
import { identityStore } from '../../../services/identity/store.ts';
import { presentationsService } from '../../../services/presentations/service.ts';
import { presentationStore } from '../../../services/presentations/store.ts';
import { walletStore } from '../../../services/wallet/store.ts';
import { encodeDidKey } from '../../../workers/crypto/did-key.ts';
import { generateKeyPair } from '../../../workers/crypto/ed25519.ts';
import { testContext } from '../../support/harness.ts';
import { internalContext, refuses } from '../credentials/credentials.fixture.ts';
import { identityFixture } from '../identity/identity.fixture.ts';
import { startWallets } from '../wallet/wallet.fixture.ts';
import { NO_QUOTA } from './ample.ts';
import { countingReads } from './counting-reads.ts';
import { reached, testCursors } from './reached.ts';
import { testIdempotency } from './test-idempotency.ts';

const services = await startWallets();
const { db, did, credentials, signing, wallets } = services;
const { db: identityDb, identity } = await identityFixture();
const presentations = reached(
    PresentationsServiceDefinition,
    presentationsService({
        store: presentationStore(db),
        signatures: services.signatures,
        services: { credentials, signing },
        idempotency: testIdempotency(db)('presentations'),
        quota: NO_QUOTA,
        cursors: testCursors,
        clock: Date.now,
    }),
);

const OWN = 23;
const FOREIGN = 20_000;

type Fragment = ReturnType<typeof sql.fragment>;
interface Page {
    ids: string[];
    next_cursor?: string | undefined;
}
interface Listed {
    name: string;
    db: Database;
    /** Writes rows: each of `account` or, without one, of an account of its own. */
    write(account: Fragment, rows: number): Promise<unknown>;
    list(request: { limit: number; cursor?: string | undefined }, context: CallContext): Promise<Page>;
    /** Reads one page with the statement of the service. */
    read(database: Database, page: ReadPage): Promise<readonly unknown[]>;
}

interface ReadPage {
    account: string;
    limit: number;
    /** The last row of the page before. */
    // biome-ignore lint/suspicious/noExplicitAny: each list has rows of its own, which it gets back
    last: any;
}

const LISTS: Listed[] = [
    {
        name: 'sessions',
        db: identityDb,
        async write(account, rows) {
            await identityDb.rows(sql.unsafe`
                INSERT INTO identity.users (user_id, email, tier, password_hash, created_at, updated_at)
                SELECT DISTINCT ON (id) id, id || '@example.org', 'free', '', now(), now()
                FROM (SELECT ${account} AS id FROM generate_series(1, ${rows}::int) AS row) AS made
                ON CONFLICT DO NOTHING`);
            await identityDb.rows(sql.unsafe`
                INSERT INTO identity.sessions (session_id, user_id, refresh_id, created_at, expires_at)
                SELECT gen_random_uuid(), user_id, gen_random_uuid(), now(), now()
                FROM (SELECT ${account} AS user_id FROM generate_series(1, ${rows}::int) AS row) AS made`);
        },
        async list(request, context) {
            const { sessions, next_cursor } = await identity.listSessions(request, context);
            return { ids: sessions.map(({ session_id }) => session_id), next_cursor };
        },
        read: (database, { account, limit, last }) =>
            identityStore(database).listSessions({ user_id: account, before: last?.session_id, limit }),
    },
    {
        name: 'DIDs',
        db,
        async write(account, rows) {
            const real = Array.from({ length: Math.min(rows, OWN) }, () => encodeDidKey(generateKeyPair().public_key));
            await db.rows(sql.unsafe`
                INSERT INTO did.dids (did, public_key, account, origin, created_at)
                SELECT coalesce((${sql.array(real, 'text')})[row], 'did:key:' || gen_random_uuid()), '', ${account},
                       'generated', now()
                FROM generate_series(1, ${rows}::int) AS row`);
        },
        async list(request, context) {
            const { dids, next_cursor } = await did.list(request, context);
            return { ids: dids.map((row) => row.did), next_cursor };
        },
        read: (database, { last, ...page }) => didStore(database).list({ ...page, after: last?.did }),
    },
    {
        name: 'presentations',
        db,
        write: (account, rows) =>
            db.rows(sql.unsafe`
                INSERT INTO presentations.presentations (id, account, created_at, credentials_count, holder, audience)
                SELECT gen_random_uuid(), ${account}, now(), 1, 'did:key:holder', 'did:web:audience'
                FROM generate_series(1, ${rows}::int) AS row`),
        async list(request, context) {
            const page = await presentations.list(request, context);
            return { ids: page.presentations.map((row) => row.presentation_id), next_cursor: page.next_cursor };
        },
        read: (database, { last, ...page }) => presentationStore(database).list({ ...page, before: last?.id }),
    },
    {
        name: 'wallets',
        db,
        write: (account, rows) =>
            db.rows(sql.unsafe`
                INSERT INTO wallet.wallets
                    (id, account, created_at, salt, memory_kib, passes, data_key, private_key, profile)
                SELECT gen_random_uuid(), ${account}, now(), '', 1, 1, '', '', ''
                FROM generate_series(1, ${rows}::int) AS row`),
        async list(request, context) {
            const page = await wallets.list(request, context);
            return { ids: page.wallets.map((row) => row.wallet_id), next_cursor: page.next_cursor };
        },
        read: (database, { last, ...page }) => walletStore(database).list({ ...page, before: last?.id }),
    },
    {
        name: 'issued credentials',
        db,
        write: (account, rows) =>
            db.rows(sql.unsafe`
                INSERT INTO credentials.credentials (id, account, issued_at, issuer, subject, credential_type)
                SELECT gen_random_uuid(), ${account}, now(), 'did:key:issuer-' || row % 5, 'did:web:subject', 't'
                FROM generate_series(1, ${rows}::int) AS row`),
        async list(request, context) {
            const page = await credentials.listIssued(request, context);
            return { ids: page.credentials.map((row) => row.credential_id), next_cursor: page.next_cursor };
        },
        read: (database, { last, ...page }) => credentialStore(database).issued({ ...page, after: last }),
    },
];

/** The pages of a list, from its beginning. */
async function pagesOf({ list }: Listed, context: CallContext, limit: number): Promise<string[][]> {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
        const { ids, next_cursor } = await list({ limit, cursor }, context);
        pages.push(ids);
        cursor = next_cursor;
    } while (cursor !== undefined);
    return pages;
}

for (const listed of LISTS) {
    const { name } = listed;
    const [owner, other] = [testContext({ user_id: randomUUID() }), testContext({ user_id: randomUUID() })];
    const idOf = ({ user_id }: CallContext) => sql.fragment`${user_id ?? ''}::uuid`;

    describe(`the list of the ${name} of an account`, () => {
        before(async () => {
            await listed.write(sql.fragment`md5(row::text)::uuid`, FOREIGN);
            await listed.write(idOf(owner), OWN);
            await listed.write(idOf(other), 2);
            await listed.db.rows(sql.unsafe`ANALYZE`);
        });

        it('has each row once, page by page, whatever the size of a page', async () => {
            const all = (await pagesOf(listed, owner, 1_000)).flat();
            assert.deepEqual([all.length, new Set(all).size], [OWN, OWN]);
            for (const limit of [1, 7, OWN - 1, OWN]) {
                const pages = await pagesOf(listed, owner, limit);
                assert.deepEqual(pages.flat(), all);
                assert.deepEqual([pages.length, pages[0]?.length], [Math.ceil(OWN / limit), limit]);
            }
        });

        it('has nothing of other accounts, and its cursors are of no use to them', async () => {
            const [own, foreign] = [await pagesOf(listed, owner, 1_000), await pagesOf(listed, other, 1_000)];
            assert.equal(foreign.flat().length, 2);
            assert.ok(foreign.flat().every((id) => !own.flat().includes(id)));
            assert.deepEqual(await pagesOf(listed, testContext({ user_id: randomUUID() }), 10), [[]]);
            const { next_cursor: cursor } = await listed.list({ limit: 5 }, owner);
            const stolen = listed.list({ limit: 1_000, cursor }, other);
            if (name === 'DIDs') assert.ok((await stolen).ids.every((id) => foreign.flat().includes(id)));
            else await refuses('invalid', stolen);
            await refuses('unauthenticated', listed.list({ limit: 5 }, internalContext()));
        });

        it('refuses a limit out of bounds and a cursor that is none', async () => {
            for (const limit of [0, 1_001]) await refuses('invalid', listed.list({ limit }, owner));
            for (const cursor of ['', 'x', 'A'.repeat(60), '\0'])
                await refuses('invalid', listed.list({ limit: 5, cursor }, owner));
        });

        it('reads no more rows than it returns, however many other accounts have', async () => {
            const nobody = await counted(listed, { account: randomUUID(), limit: 8, last: undefined });
            assert.deepEqual(nobody, { rows: [], read: 0 });
            const page = { account: owner.user_id ?? '', limit: 8 };
            const first = await counted(listed, { ...page, last: undefined });
            const second = await counted(listed, { ...page, last: first.rows.at(-1) });
            for (const { rows, read } of [first, second])
                assert.deepEqual([rows.length, read], [8, name === 'sessions' ? OWN : 8]); // QUOTA_SESSIONS bounds those
            assert.equal(new Set([...first.rows, ...second.rows].map((row) => JSON.stringify(row))).size, 16);
        });
    });
}

/** Reads a page. `read` is the number of rows that PostgreSQL read for it. */
async function counted(listed: Listed, page: ReadPage) {
    const { database, read } = countingReads(listed.db);
    return { rows: await listed.read(database, page), read: read() };
}
