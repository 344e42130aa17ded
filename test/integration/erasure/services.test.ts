import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Database } from '../../../platform/postgres/db.ts';
import { findDrift } from '../../../services/counts/drift.store.ts';
import type { Counting } from '../../../services/counts/pending.store.ts';
import { rollUp } from '../../../services/counts/roll-up.ts';
import { didStore } from '../../../services/did/store.ts';
import { type ErasureStep, erasure } from '../../../services/erasure.ts';
import { exchangeErasure } from '../../../services/exchange/erase.store.ts';
import { erasedServices } from '../../../services/identity/erasure/erased-services.ts';
import { keyStore } from '../../../services/keys/store.ts';
import { presentationStore } from '../../../services/presentations/store.ts';
import { signingStore } from '../../../services/signing/store.ts';
import { usageStore } from '../../../services/usage/store.ts';
import { walletStore } from '../../../services/wallet/store.ts';
import { webhooksStore } from '../../../services/webhooks/store.ts';
import { assertEntries } from '../../contract/entries.ts';
import { testContext } from '../../support/harness.ts';
import { undivided } from '../credentials/undivided.ts';
import { eraseAll, erasureFixture, MANY, SCHEMA_NAMES, trusted } from './erasure.fixture.ts';
import { SEEDS, seed } from './seeds.ts';

type Schema = keyof typeof SEEDS;

/** The steps of each service, and the tables in which rows of the account stay. */
const SERVICES: Record<Schema, { steps(db: Database): readonly ErasureStep[]; stays?: Record<string, number> }> = {
    keys: { steps: (db) => keyStore(db).erasure(async () => {}), stays: { accounts: 1 } },
    did: { steps: (db) => didStore(db).erasure },
    credentials: { steps: (db) => undivided(db).erasure, stays: { credentials: MANY } },
    presentations: { steps: (db) => presentationStore(db).erasure },
    wallet: { steps: (db) => walletStore(db).erasure(async () => {}) },
    signing: { steps: (db) => signingStore(db).erasure, stays: { data_keys: 1, issuers: MANY } },
    webhooks: { steps: (db) => webhooksStore(db).erasure },
    exchange: { steps: exchangeErasure },
    usage: { steps: (db) => usageStore(db).erasure },
};

/** The services that count what they store. */
const counts = (schema: Schema): schema is Exclude<Schema, 'signing' | 'webhooks' | 'exchange'> =>
    schema !== 'signing' && schema !== 'webhooks' && schema !== 'exchange';

const { db, query, rowsOf } = await erasureFixture();

/** A hash of the rows of the account, by table. */
async function contentOf(schema: Schema, account: string) {
    const rows = Object.keys(await rowsOf(account, schema)).map(async (table) => [
        table,
        await query(
            `SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM ${schema}.${table} AS t WHERE t::text LIKE $1`,
            [`%${account}%`],
        ),
    ]);
    return Object.fromEntries(await Promise.all(rows));
}

/** All rows of the account as text, one for each table. */
async function textsOf(schema: Schema, account: string): Promise<string[]> {
    const texts = Object.keys(await rowsOf(account, schema)).map(async (table) => {
        const [row] = await query(
            `SELECT string_agg(t::text, '') AS text FROM ${schema}.${table} AS t WHERE t::text LIKE $1`,
            [`%${account}%`],
        );
        return String(row?.['text']);
    });
    return Promise.all(texts);
}

it('each service with a schema erases what it has of an account', () => {
    const others = SCHEMA_NAMES.filter((schema) => schema !== 'identity'); // identity calls them
    const called = Object.keys(erasedServices(() => ({}) as never));
    assertEntries(called, others, 'services/identity/erasure/erased-services.ts');
});

describe('EraseAccount', () => {
    for (const [schema, { steps, stays = {} }] of Object.entries(SERVICES) as Array<
        [Schema, (typeof SERVICES)[Schema]]
    >) {
        it(`of ${schema} erases all rows of the account in small calls, and nothing of another one`, async () => {
            const [ada, eve] = [randomUUID(), randomUUID()];
            const erase = erasure(steps(db));
            await seed(query, schema, ada);
            await seed(query, schema, eve, 30);
            if (counts(schema)) await rollUp(schema satisfies Counting, db);
            if (SEEDS[schema].counted)
                await query(
                    `INSERT INTO ${schema}.deltas (account, kind, day, amount)
                     SELECT $1::uuid, kind, current_date, sign FROM (VALUES (1), (-1)) AS signs (sign),
                     unnest($2::text[]) AS kind, generate_series(1, ${MANY})`,
                    [ada, Object.keys(SEEDS[schema].counted).slice(0, 1)],
                );
            const before = { eve: await rowsOf(eve, schema), content: await contentOf(schema, eve) };
            const calls = await eraseAll(erase, ada);
            assert.ok(calls > MANY / 1_000, `${calls} calls`);
            assert.deepEqual(await rowsOf(ada, schema), stays);
            for (const text of await textsOf(schema, ada)) assert.doesNotMatch(text, /secret|person|Membership/);
            assert.deepEqual({ eve: await rowsOf(eve, schema), content: await contentOf(schema, eve) }, before);
            assert.equal(await eraseAll(erase, ada), 1, 'a repeated call has nothing to do');
            assert.deepEqual(await rowsOf(ada, schema), stays);
        });
    }

    it('leaves the counts of the platform right', async () => {
        const [ada, eve] = [randomUUID(), randomUUID()];
        for (const schema of Object.keys(SERVICES) as Schema[]) {
            await seed(query, schema, ada, 40);
            await seed(query, schema, eve, 30);
            if (counts(schema)) await rollUp(schema, db);
        }
        assert.deepEqual(await findDrift(() => [db]), []);
        for (const { steps } of Object.values(SERVICES)) await eraseAll(erasure(steps(db)), ada);
        assert.deepEqual(await findDrift(() => [db]), []);
        for (const schema of Object.keys(SERVICES) as Schema[]) if (counts(schema)) await rollUp(schema, db);
        assert.deepEqual(await findDrift(() => [db]), []);
    });

    it('ends complete if several run at once', async () => {
        for (const [schema, { steps, stays = {} }] of Object.entries(SERVICES) as Array<
            [Schema, (typeof SERVICES)[Schema]]
        >) {
            const ada = randomUUID();
            await seed(query, schema, ada);
            const erase = erasure(steps(db));
            await Promise.all([eraseAll(erase, ada), eraseAll(erase, ada)]);
            assert.deepEqual(await rowsOf(ada, schema), stays, schema);
        }
    });

    it('is for trusted callers, and for an account', async () => {
        const erase = erasure(didStore(db).erasure);
        const account = randomUUID();
        await assert.rejects(erase({ user_id: account }, testContext({ user_id: account })), { kind: 'forbidden' });
        for (const userId of ['', 'x', `${account}x`])
            await assert.rejects(erase({ user_id: userId }, trusted()), { kind: 'invalid' });
    });
});

describe('an erased account', () => {
    it('leaves of a credential what says whether it is valid, and nothing about its subject', async () => {
        const ada = randomUUID();
        await seed(query, 'credentials', ada, 4);
        await query('UPDATE credentials.credentials SET status_list = 1, status_index = 7 WHERE account = $1', [ada]);
        const kept = 'id, account, issued_at, expires_at, revoked_at, issuer, status_list, status_index';
        const rows = () => query(`SELECT ${kept} FROM credentials.credentials WHERE account = $1 ORDER BY id`, [ada]);
        const before = await rows();
        await eraseAll(erasure(undivided(db).erasure), ada);
        assert.deepEqual(await rows(), before);
        const others = await query(
            'SELECT DISTINCT subject, credential_type, revocation_reason FROM credentials.credentials WHERE account = $1',
            [ada],
        );
        assert.deepEqual(others, [{ subject: 'did:invalid:erased', credential_type: '', revocation_reason: null }]);
    });

    it('leaves the DIDs and public keys of its archived issuers, and no key that opens', async () => {
        const ada = randomUUID();
        await seed(query, 'signing', ada, 4);
        const rows = () =>
            query(
                `SELECT did, method, kid, compromised_at FROM signing.issuers JOIN signing.keys ON issuer = id
                 WHERE account = $1 ORDER BY did`,
                [ada],
            );
        const before = await rows();
        await eraseAll(erasure(signingStore(db).erasure), ada);
        assert.deepEqual(await rows(), before);
        const issuers = await query(
            `SELECT DISTINCT archived_at IS NOT NULL AS archived, name, reason FROM signing.issuers
             JOIN signing.keys ON issuer = id WHERE account = $1`,
            [ada],
        );
        assert.deepEqual(issuers, [{ archived: true, name: '', reason: null }]);
        const dataKeys = await query(
            'SELECT wrapped, abandoned_at IS NOT NULL AS abandoned FROM signing.data_keys WHERE account = $1',
            [ada],
        );
        assert.deepEqual(dataKeys, [{ wrapped: Buffer.alloc(0), abandoned: true }]);
    });
});
