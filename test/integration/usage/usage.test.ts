import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { dayText } from '../../../platform/days.ts';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { PLATFORM } from '../../../services/counts/counts.store.ts';
import { findDrift } from '../../../services/counts/drift.store.ts';
import { didStore } from '../../../services/did/store.ts';
import { pruneUsage } from '../../../services/usage/prune.store.ts';
import { testContext } from '../../support/harness.ts';
import { countingFixture } from './counting.ts';

const { db, store, usage, trusted, gateway, rollUpAll } = await countingFixture();
const dids = didStore(db);

const makeDid = (account: string | undefined) =>
    dids.insert({ did: `did:test:${randomUUID()}`, public_key: new Uint8Array(32), account, origin: 'generated' });
const statisticsOf = (account: string) => usage.getStatistics({}, testContext({ user_id: account }));
const platform = () => usage.getPlatformStatistics({}, trusted());

describe('counts of rows', () => {
    it('are exact at once, and stay the same after one or two roll-ups', async () => {
        const account = randomUUID();
        for (let row = 0; row < 5; row++) await makeDid(account);
        assert.equal((await statisticsOf(account)).dids_total, 5);
        await Promise.all([rollUpAll(), rollUpAll()]);
        const { dids_total, dids_created_this_month } = await statisticsOf(account);
        assert.deepEqual([dids_total, dids_created_this_month], [5, 5]);
        await makeDid(account);
        await rollUpAll();
        assert.equal((await statisticsOf(account)).dids_total, 6);
    });

    it('of the platform include rows without an owner', async () => {
        const before = (await platform()).dids_created;
        await Promise.all([makeDid(undefined), makeDid(undefined), makeDid(randomUUID())]);
        assert.equal((await platform()).dids_created, before + 3);
        await rollUpAll();
        assert.equal((await platform()).dids_created, before + 3);
    });

    it('agree with the rows, and drift is reported and repaired if they do not', async () => {
        await makeDid(randomUUID());
        assert.deepEqual(await findDrift(() => [db]), []);
        await rollUpAll();
        assert.deepEqual(await findDrift(() => [db]), []);
        const account = randomUUID();
        await db.rows(sql.unsafe`
            INSERT INTO did.deltas (account, kind, day, amount) VALUES
                (${account}, 'dids_created', now(), 2), (NULL, 'dids_created', now(), 5)`);
        const dids = (await platform()).dids_created;
        const drift = await findDrift(() => [db], { repair: true });
        assert.deepEqual(
            drift.toSorted((one, other) => one.counted - other.counted),
            [
                { account, kind: 'dids_created', counted: 2, rows: 0 },
                { account: PLATFORM, kind: 'dids_created', counted: dids, rows: dids - 7 },
            ],
        );
        assert.deepEqual(await findDrift(() => [db]), []);
        await rollUpAll();
        assert.deepEqual(await findDrift(() => [db]), []);
        assert.deepEqual([(await statisticsOf(account)).dids_total, (await platform()).dids_created], [0, dids - 7]);
    });
});

describe('counts of requests', () => {
    it('of an account are those that all gateways have sent, before, during and after a roll-up', async () => {
        const account = randomUUID();
        const [key, session] = [{ user_id: account, key_id: randomUUID() }, { user_id: account }];
        const [one, other] = [gateway(), gateway()];
        const seen = async () => {
            const told = await statisticsOf(account);
            const { requests_today, requests_this_month, rate_limit_hits, presentations_verified } = told;
            return [requests_today, requests_this_month, rate_limit_hits, presentations_verified];
        };
        one.admitted(key, 7);
        other.admitted(session, 3);
        for (let call = 0; call < 5; call++) other.refused(key);
        for (let call = 0; call < 2; call++) one.verifiedPresentation(key);
        assert.deepEqual(await seen(), [0, 0, 0, 0]);
        await Promise.all([one.send(), other.send()]);
        assert.deepEqual(await seen(), [10, 10, 5, 2]);
        const rolling = rollUpAll();
        assert.deepEqual(await seen(), [10, 10, 5, 2]);
        await rolling;
        assert.deepEqual(await seen(), [10, 10, 5, 2]);
        one.admitted(key, 1);
        other.admitted(key, 2);
        other.verifiedPresentation(session);
        await Promise.all([one.send(), rollUpAll(), other.send(), rollUpAll()]);
        assert.deepEqual(await seen(), [13, 13, 5, 3]);
        await rollUpAll();
        assert.deepEqual(await seen(), [13, 13, 5, 3]);
        const { keys } = await usage.getKeyUsage({ key_ids: [key.key_id] }, testContext({ user_id: account }));
        assert.deepEqual([keys[0]?.requests_today, keys[0]?.requests_this_month], [10, 10]);
    });

    it('are added once, however often and however many at once their batch is sent', async () => {
        const [account, keyId] = [randomUUID(), randomUUID()];
        const count = {
            account,
            key_id: keyId,
            requests: 3,
            refused: 2,
            verified: 1,
            logins: 0,
            last_used_at_ms: Date.now(),
        };
        const batch = { batch_id: newId(), day: dayText(Date.now()), counts: [count] };
        const send = () => usage.recordRequests(batch, trusted());
        await Promise.all(Array.from({ length: 20 }, send));
        await rollUpAll();
        await send();
        const told = await statisticsOf(account);
        assert.deepEqual([told.requests_today, told.rate_limit_hits, told.presentations_verified], [3, 2, 1]);
        const { keys } = await usage.getKeyUsage({ key_ids: [keyId] }, testContext({ user_id: account }));
        assert.equal(keys[0]?.requests_today, 3);
    });

    it('of the same keys, which many gateways send at once in different orders, lose nothing', async () => {
        const account = randomUUID();
        const keyIds = Array.from({ length: 200 }, () => randomUUID());
        const gateways = Array.from({ length: 20 }, gateway);
        for (const [index, { admitted }] of gateways.entries()) {
            const order = index % 2 ? keyIds : keyIds.toReversed();
            for (const keyId of order) admitted({ user_id: account, key_id: keyId }, 1);
        }
        await Promise.all([...gateways.map(({ send }) => send()), rollUpAll()]);
        const { keys } = await usage.getKeyUsage({ key_ids: keyIds }, testContext({ user_id: account }));
        assert.ok(keys.every(({ requests_today }) => requests_today === 20));
        assert.equal((await statisticsOf(account)).requests_today, 4_000);
    });

    it('show when a key was last used, to its account only, and that another key was never used', async () => {
        const [account, keyId, limited] = [randomUUID(), randomUUID(), randomUUID()];
        const before = Date.now();
        const { admitted, refused, verifiedPresentation, send } = gateway();
        admitted({ user_id: account, key_id: keyId }, 1);
        for (const count of [refused, verifiedPresentation]) count({ user_id: account, key_id: limited });
        await send();
        const lastUse = async (userId: string) =>
            (
                await usage.getKeyUsage({ key_ids: [keyId, limited, randomUUID()] }, testContext({ user_id: userId }))
            ).keys.map(({ last_used_at }) => last_used_at);
        const [used, ...others] = await lastUse(account);
        assert.ok(Date.parse(used ?? '') >= before && Date.parse(used ?? '') <= Date.now());
        assert.deepEqual(others, [undefined, undefined]);
        assert.deepEqual(await lastUse(randomUUID()), [undefined, undefined, undefined]);
    });

    it('make an account active today, also in the statistics of the platform', async () => {
        const before = await platform();
        const { admitted, loggedIn, verifiedPresentation, send } = gateway();
        admitted({ user_id: randomUUID() }, 3);
        loggedIn(randomUUID());
        verifiedPresentation({ user_id: undefined }); // of a trusted caller that acts for no account
        await send();
        const after = await platform();
        assert.equal(after.users_active_today, before.users_active_today + 2);
        assert.equal(after.requests_today, before.requests_today + 3);
        assert.equal(after.presentations_verified, before.presentations_verified + 1);
        await rollUpAll();
        assert.deepEqual(await platform(), after);
    });

    it('are taken only from trusted callers, and only if they are well-formed', async () => {
        const count = { account: randomUUID(), requests: 1, refused: 0, verified: 0, logins: 0, last_used_at_ms: 0 };
        const batch = { batch_id: newId(), day: '2031-01-01', counts: [count] };
        await assert.rejects(usage.recordRequests(batch, testContext()), { kind: 'forbidden' });
        for (const bad of [
            { ...batch, batch_id: 'x' },
            { ...batch, day: '2031-01-01T00:00' },
            ...['2031-02-30', '2031-13-01', '0000-01-01'].map((day) => ({ ...batch, day })),
            { ...batch, counts: [{ ...count, last_used_at_ms: Number.MAX_SAFE_INTEGER }] },
            { ...batch, counts: [{ ...count, account: '' }] },
            { ...batch, counts: [{ ...count, key_id: '\0' }] },
            { ...batch, counts: Array.from({ length: 10_001 }, () => count) },
        ]) {
            await assert.rejects(usage.recordRequests(bad, trusted()), { kind: 'invalid' });
        }
    });
});

it('a batch is remembered for a day, and then forgotten by the roll-up', async () => {
    const [old, recent] = [newId(Date.now() - 86_410_000), newId(Date.now() - 86_390_000)];
    for (const batchId of [old, recent]) await store.record({ batch_id: batchId, day: '2031-01-01', counts: [] });
    await rollUpAll();
    const left = await db.rows(sql.type(z.strictObject({ id: z.string() }))`
        SELECT id FROM usage.batches WHERE id = ANY(${sql.array([old, recent], 'uuid')})`);
    assert.deepEqual(left, [{ id: recent }]);
});

it('pruning removes the days of activity that no answer needs any more', async () => {
    const account = randomUUID();
    for (const days of [10, 11, 40]) {
        await db.rows(sql.unsafe`
            INSERT INTO usage.days (account, day, requests, logins)
            VALUES (${account}, (now() AT TIME ZONE 'UTC')::date - ${days}::int, 1, 0)`);
    }
    assert.equal(await pruneUsage(db, dayText(Date.now())), 2);
    assert.equal(await pruneUsage(db, dayText(Date.now())), 0);
});

it('the usage of keys is returned for at most 1,000 ids, and malformed ids are refused', async () => {
    const context = testContext({ user_id: randomUUID() });
    for (const keyIds of [['\0'], [''], Array.from({ length: 1_001 }, () => randomUUID())]) {
        await assert.rejects(usage.getKeyUsage({ key_ids: keyIds }, context), { kind: 'invalid' });
    }
    const keyIds = Array.from({ length: 1_000 }, () => randomUUID());
    assert.equal((await usage.getKeyUsage({ key_ids: keyIds }, context)).keys.length, 1_000);
});
