import assert from 'node:assert/strict';
import { it } from 'node:test';
import { livenessMarkKey, livenessMarks } from '../../../platform/access/liveness-marks.ts';
import { AppError } from '../../../platform/errors.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { testContext } from '../../support/harness.ts';
import { buildKeys, keysFixture, SHARDS } from '../keys/keys.fixture.ts';
import { eraseAll, trusted } from './erasure.fixture.ts';

const { db, redis, keys, authenticate } = await keysFixture();

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
