import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { livenessMarkKey, livenessMarks } from '../../../platform/access/liveness-marks.ts';
import { AppError } from '../../../platform/errors.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { ERASED_ROWS } from '../../../platform/postgres/prune.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { keyStore } from '../../../services/keys/store.ts';
import { testContext } from '../../support/harness.ts';
import { buildKeys, keysFixture, SHARDS } from '../keys/keys.fixture.ts';
import { eraseAll, trusted } from './erasure.fixture.ts';

const { db, redis, keys, authenticate } = await keysFixture();

/** The living keys of all accounts, as the platform counts them. */
async function active(): Promise<number> {
    const [row] = await db.rows(sql.type(z.strictObject({ active: z.number() }))`
        SELECT coalesce(sum(amount), 0)::int AS active FROM keys.deltas WHERE kind = 'api_keys_active'`);
    return row?.active ?? 0;
}

it('gateways are told that the keys of an erased account are gone, and a key that comes later is unknown', async () => {
    const [ada, eve] = [testContext(), testContext()];
    const made = [await keys.generate({ name: 'first' }, ada), await keys.generate({ name: 'second' }, ada)];
    const other = await keys.generate({ name: 'other' }, eve);
    const account = ada.user_id ?? '';
    assert.equal(await eraseAll(keys.eraseAccount, account), 1);
    for (const { api_key, key_id } of made) {
        const mark = livenessMarkKey(shardTag(account, SHARDS), 'key', key_id);
        assert.equal(await redis.get(mark), 'R');
        const { alive, gone } = await authenticate(api_key);
        assert.deepEqual({ alive, gone }, { alive: false, gone: true });
    }
    assert.equal((await authenticate(other.api_key)).alive, true);
    const late = await keys.generate({ name: 'late' }, ada);
    const { alive, gone, suspended } = await authenticate(late.api_key);
    assert.deepEqual({ alive, gone, suspended }, { alive: false, gone: true, suspended: false });
    assert.equal((await keys.check({ api_key: late.api_key }, trusted())).code, 'not_found');
    await keys.setSuspension({ user_id: account, suspended: false, version: 1 }, trusted());
    for (const version of [2_147_483_647, 2_147_483_648, 4_294_967_295])
        await assert.rejects(keys.setSuspension({ user_id: account, suspended: false, version }, trusted()), {
            kind: 'invalid',
        });
    assert.equal((await authenticate(late.api_key)).alive, false, 'a restoration comes too late');
});

it('the keys of an account stay while the gateways cannot be told', async () => {
    const ada = testContext();
    const { api_key } = await keys.generate({ name: 'first' }, ada);
    const failure = new AppError('unavailable', 'Redis is away.', { retry_after: 1, reason: 'redis' });
    const marks = { ...livenessMarks({ redis, shards: SHARDS }), refuse: async () => failure };
    const away = buildKeys({ db, redis, marks });
    await assert.rejects(away.eraseAccount({ user_id: ada.user_id ?? '' }, trusted()), failure);
    assert.equal((await authenticate(api_key)).alive, true);
    assert.equal(await eraseAll(keys.eraseAccount, ada.user_id ?? ''), 1);
    assert.equal((await authenticate(api_key)).alive, false);
});

it('keys count no more from the first call of an erasure on, also if keys expire before its last call', async () => {
    const [ada, before] = [testContext(), await active()];
    await keys.generate({ name: 'first' }, ada);
    const { key_id } = await keys.generate(
        { name: 'second', expires_at: new Date(Date.now() + 60_000).toISOString() },
        ada,
    );
    const account = ada.user_id ?? '';
    await db.rows(sql.unsafe`
        WITH copies AS (SELECT own, n FROM keys.keys AS own, generate_series(1, ${ERASED_ROWS}) AS n WHERE key_id = ${key_id})
        INSERT INTO keys.keys
        SELECT (jsonb_populate_record(own, jsonb_build_object('key_id', gen_random_uuid(), 'hash', '\\x' || md5(n::text)))).*
        FROM copies`);
    assert.equal(await active(), before + 2);
    assert.equal((await keys.eraseAccount({ user_id: account }, trusted())).done, false);
    assert.equal(await active(), before);
    await keyStore(db).releaseExpired({ now: new Date(Date.now() + 120_000).toISOString() });
    await eraseAll(keys.eraseAccount, account);
    assert.equal(await active(), before);
});
