import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { guard } from '../../../platform/access/guard.ts';
import { livenessMarks } from '../../../platform/access/liveness-marks.ts';
import { didStore } from '../../../services/did/store.ts';
import { erasure } from '../../../services/erasure.ts';
import { eventsStore } from '../../../services/events/store.ts';
import { exchangeErasure } from '../../../services/exchange/erase.store.ts';
import type { ErasedServices } from '../../../services/identity/erasure/erased-services.ts';
import { finishErasures } from '../../../services/identity/erasure/finish-erasures.ts';
import { identityStore } from '../../../services/identity/store.ts';
import { keyStore } from '../../../services/keys/store.ts';
import { presentationStore } from '../../../services/presentations/store.ts';
import { signingStore } from '../../../services/signing/store.ts';
import { usageStore } from '../../../services/usage/store.ts';
import { walletStore } from '../../../services/wallet/store.ts';
import { webhooksStore } from '../../../services/webhooks/store.ts';
import { testRedis } from '../../support/harness.ts';
import { undivided } from '../credentials/undivided.ts';
import { erasureFixture, SCHEMA_NAMES } from './erasure.fixture.ts';
import { SEEDS, seed } from './seeds.ts';

const [{ db, query, rowsOf }, redis] = [await erasureFixture(), await testRedis()];
const records = guard({ redis, shards: 4 });

const services: ErasedServices = {
    webhooks: { eraseAccount: erasure(webhooksStore(db).erasure) },
    exchange: { eraseAccount: erasure(exchangeErasure(db)) },
    keys: { eraseAccount: erasure(keyStore(db).erasure(async () => {})) },
    wallet: { eraseAccount: erasure(walletStore(db).erasure(async () => {})) },
    presentations: { eraseAccount: erasure(presentationStore(db).erasure) },
    credentials: { eraseAccount: erasure(undivided(db).erasure) },
    signing: { eraseAccount: erasure(signingStore(db).erasure) },
    did: { eraseAccount: erasure(didStore(db).erasure) },
    usage: { eraseAccount: erasure(usageStore(db).erasure) },
    events: { eraseAccount: erasure(eventsStore(db).erasure) },
};

const store = identityStore(db);
const marks = livenessMarks({ redis, shards: 4 });
const dependencies = { db, store, guard: records, livenessMarks: marks, services, clock: Date.now };
const run = (asked: ErasedServices = services) => finishErasures({ ...dependencies, services: asked });

/** An account with rows of every kind, which has ended some seconds ago. */
async function deletedAccount({ agoSeconds = 60, rows = 1_200 } = {}): Promise<string> {
    const account = randomUUID();
    for (const schema of Object.keys(SEEDS) as Array<keyof typeof SEEDS>) await seed(query, schema, account, rows);
    await query(
        `INSERT INTO events.log (account, last_seq, count, type, happened_at, data)
         VALUES ($1, 1, 1, 'key.created', now(), '[{"key_id": "a"}]')`,
        [account],
    );
    await query('INSERT INTO events.heads (account, seq) VALUES ($1, 1)', [account]);
    await query(
        `INSERT INTO identity.idempotency (scope_hash, fingerprint, claimant, id, made_at)
         VALUES (sha256('${account}'), '', '${account}', '${account}', now())`,
    );
    await query(
        `INSERT INTO identity.erasures (account, requested_at, ended_at, actor)
         VALUES ($1, now() - interval '1 hour', now() - make_interval(secs => $2), 'session:a')`,
        [account, agoSeconds],
    );
    return account;
}

async function leftOf(account: string): Promise<Record<string, Record<string, number>>> {
    const left = await Promise.all(
        SCHEMA_NAMES.map(async (schema) => [schema, await rowsOf(account, schema)] as const),
    );
    return Object.fromEntries(left.filter(([, tables]) => Object.keys(tables).length > 0));
}

/** What stays of an account with so many rows. */
const erased = (rows: number) => ({
    keys: { accounts: 1 },
    credentials: { credentials: rows },
    signing: { data_keys: 1, issuers: rows },
    events: { heads: 1, log: 1 },
    identity: { erasures: 1 },
});

async function finished(account: string): Promise<boolean> {
    const [row] = await query('SELECT finished_at FROM identity.erasures WHERE account = $1', [account]);
    return row?.['finished_at'] !== null;
}

/** The event, which whoever has asked for the erasure has caused. */
const ERASED = { type: 'account.erased', cause: ['session:a'] };

async function publishedOf(account: string): Promise<unknown[]> {
    return query(`SELECT type, causes::json AS cause FROM identity.outbox WHERE data->0->>'account' = $1`, [account]);
}

it('an erasure that is interrupted again and again ends complete, with one event', async () => {
    const [ada, eve] = [await deletedAccount(), await deletedAccount({ agoSeconds: 0, rows: 20 })];
    const before = await leftOf(eve);
    let [interruptions, calls] = [0, 0];
    while (!(await finished(ada))) {
        calls = 0;
        const interrupted = Object.fromEntries(
            Object.entries(services).map(([role, { eraseAccount }]) => [
                role,
                {
                    eraseAccount: async (...call: Parameters<typeof eraseAccount>) => {
                        const answer = await eraseAccount(...call);
                        if (++calls > interruptions) throw new Error('killed');
                        return answer;
                    },
                },
            ]),
        ) as unknown as ErasedServices; // it has the same keys
        await run(interrupted).catch((error: Error) => {
            const failures: Error[] = error instanceof AggregateError ? error.errors : [error];
            for (const { message } of failures) assert.equal(message, 'killed');
        });
        interruptions += 2;
    }
    assert.ok(interruptions > 8, `${interruptions} interruptions`);
    assert.deepEqual(await leftOf(ada), erased(1_200));
    assert.deepEqual(await publishedOf(ada), [ERASED]);
    await run();
    assert.deepEqual(await publishedOf(ada), [ERASED]);
    const { webhooks: _, ...others } = before;
    assert.deepEqual(await leftOf(eve), others, 'nothing is sent any more, but calls of the account may still run');
});

it('a run that has no more time for a large account goes on with others, and later runs end it', async () => {
    const [large, small] = [await deletedAccount(), await deletedAccount({ rows: 20 })];
    let runs = 0;
    for (; !(await finished(large)); runs++) {
        await finishErasures({ ...dependencies, accountMs: 0 });
        const [{ count } = {}] = await query('SELECT count(*)::int FROM webhooks.endpoints WHERE account = $1', [
            small,
        ]);
        assert.equal(count, 0);
    }
    assert.ok(runs > 3, `${runs} runs`);
    assert.deepEqual(await leftOf(large), erased(1_200));
    assert.deepEqual(await publishedOf(large), [ERASED]);
});

it('several runs at once end complete, with one event', async () => {
    const ada = await deletedAccount();
    await Promise.all([run(), run(), run()]);
    assert.deepEqual(await leftOf(ada), erased(1_200));
    assert.deepEqual(await publishedOf(ada), [ERASED]);
});

it('an account that cannot be erased now keeps no other one waiting', async () => {
    const [ada, eve] = [await deletedAccount({ rows: 20 }), await deletedAccount({ rows: 20 })];
    const wallet = {
        eraseAccount: (...[request, context]: Parameters<ErasedServices['wallet']['eraseAccount']>) =>
            request.user_id === ada
                ? Promise.reject(new Error('away'))
                : services.wallet.eraseAccount(request, context),
    };
    await assert.rejects(run({ ...services, wallet }), { message: 'away' });
    assert.deepEqual([await finished(ada), await finished(eve)], [false, true]);
    await run();
    assert.equal(await finished(ada), true);
});

it('the webhooks of an account are stopped, although a hundred earlier erasures cannot go on', async () => {
    await query(
        `INSERT INTO identity.erasures (account, requested_at, ended_at)
         SELECT gen_random_uuid(), now() - interval '2 hours', now() - interval '2 hours' FROM generate_series(1, 100)`,
    );
    const ada = await deletedAccount({ rows: 20 });
    const exchange = { eraseAccount: () => Promise.reject(new Error('away')) };
    await assert.rejects(run({ ...services, exchange }));
    assert.equal((await leftOf(ada))['webhooks'], undefined);
    await run();
    await run();
    assert.equal(await finished(ada), true);
});

it('what is recorded about those who tried the password of an erased account is removed', async () => {
    const account = await deletedAccount({ rows: 20 });
    const target = { subject: `login:${account}`, address: '192.0.2.1' };
    const other = { ...target, subject: `login:${randomUUID()}` };
    for (const each of [target, other]) {
        await records.attempt(each, async () => 'opened');
        await records.attempt(each, async () => undefined);
    }
    const keysOf = (subject: string) => redis.keys(`guard:*:${subject}:*`);
    assert.equal((await keysOf(target.subject)).length, 4);
    await run();
    assert.deepEqual(await keysOf(target.subject), []);
    assert.equal((await keysOf(other.subject)).length, 4);
});
