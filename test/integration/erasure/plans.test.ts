import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { z } from 'zod';
import { type Database, type Queries, type Query, sql } from '../../../platform/postgres/db.ts';
import { didStore } from '../../../services/did/store.ts';
import { erasure } from '../../../services/erasure.ts';
import { eventsStore } from '../../../services/events/store.ts';
import { keyStore } from '../../../services/keys/store.ts';
import { presentationStore } from '../../../services/presentations/store.ts';
import { signingStore } from '../../../services/signing/store.ts';
import { usageStore } from '../../../services/usage/store.ts';
import { walletStore } from '../../../services/wallet/store.ts';
import { undivided } from '../credentials/undivided.ts';
import { eraseAll, erasureFixture } from './erasure.fixture.ts';
import { SEEDS, seed } from './seeds.ts';

const planRow = z.strictObject({ 'QUERY PLAN': z.string() });

/** The database, which notes the plan of each statement before it runs. */
function explained(db: Database, plans: string[]): Database {
    const noting = ({ distributed, rows }: Queries): Queries => ({
        distributed,
        async rows<Row>(query: Query<Row>) {
            const plan = await rows(sql.type(planRow)`EXPLAIN ${query as ReturnType<typeof sql.unsafe>}`);
            plans.push(`${query.sql}\n${plan.map((row) => row['QUERY PLAN']).join('\n')}`);
            return rows(query);
        },
    });
    return {
        ...db,
        rows: (query) => noting(db).rows(query),
        transaction: (work, ...served) => db.transaction((queries) => work(noting(queries)), ...served),
    };
}

it('an erasure reads the rows of its account by index, so others do not slow it down', async () => {
    const { db, query } = await erasureFixture();
    const [{ name }] = (await query('SELECT current_database() AS name')) as [{ name: string }];
    await query(`ALTER DATABASE ${name} SET enable_seqscan = off`); // so that small tables are read like large ones
    const [ada, eve] = [randomUUID(), randomUUID()];
    for (const schema of Object.keys(SEEDS) as Array<keyof typeof SEEDS>) {
        await seed(query, schema, ada, 100);
        await seed(query, schema, eve, 2_000);
    }
    await query('ANALYZE');
    const plans: string[] = [];
    const noted = explained(db, plans);
    const steps = [
        keyStore(noted).erasure(async () => {}),
        walletStore(noted).erasure(async () => {}),
        ...[presentationStore, didStore, signingStore, usageStore, eventsStore].map((store) => store(noted).erasure),
        undivided(noted).erasure,
    ];
    for (const own of steps) await eraseAll(erasure(own), ada);
    assert.ok(plans.length > 30, `${plans.length} plans`);
    for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan|Filter: .*account = '/, plan);
});
