import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../platform/ids.ts';
import { keyStore } from '../../../services/keys/store.ts';
import { testDatabase } from '../../support/harness.ts';

const { db } = await testDatabase();

test('the store revokes and renames a key for its own account alone, whatever its caller has checked', async () => {
    const store = keyStore(db);
    const [account, key_id, now] = [newId(), newId(), new Date().toISOString()];
    const hash = Buffer.alloc(32, 1);
    await store.insert(
        { key_id, account, hash, mask: 'm', name: 'a', tier: 'free', created_at: now },
        { active: 1, all: 1 },
    );
    const of_another = { account: newId(), key_id, now };
    await store.revoke(of_another);
    assert.equal(await store.rename({ ...of_another, name: 'b' }), undefined);
    assert.equal((await store.findLive(hash))?.key_id, key_id);
    assert.equal((await store.find({ account, key_id }))?.name, 'a');
});
